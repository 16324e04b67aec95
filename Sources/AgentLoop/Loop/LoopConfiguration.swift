import FoundationEssentials

/// What the loop in a pod is told when it starts: a JSON file of mode 0600. It holds no secret.
package struct LoopConfiguration: Codable, Hashable, Sendable {
    /// The agent's name and the session's.
    package var agentType: String
    package var agentID: String
    /// The checkout.
    package var directory: String
    /// Argument lists with `${PROMPT}` and `${SESSION}`, as the agent's declaration has them.
    package var headless: [String]
    /// Goes on with the last run; nil: it cannot.
    package var headlessResume: [String]?
    package var output: AgentOutputFormat
    /// Given to the CLI as the name of its run, where it takes one.
    package var session: String
    /// Paths relative to the checkout.
    package var tasking = Tasking.defaultPath
    package var reporting = Reporting.defaultPath
    /// Whether the CLI reads tasking.yaml and writes reporting.yaml itself; nil: the loop does.
    package var reportsItself: Bool?
    /// Who commits.
    package var authorName: String
    package var authorEmail: String
    /// Seconds that one task may take.
    package var timeLimit = 3600
    /// Whether it waits for more when all tasks are done.
    package var waits = false

    package init(
        agentType: String, agentID: String, directory: String, headless: [String], headlessResume: [String]? = nil,
        output: AgentOutputFormat, session: String, authorName: String = "so", authorEmail: String = "so@localhost"
    ) {
        self.agentType = agentType
        self.agentID = agentID
        self.directory = directory
        self.headless = headless
        self.headlessResume = headlessResume
        self.output = output
        self.session = session
        self.authorName = authorName
        self.authorEmail = authorEmail
    }

    package static func read(_ path: String) throws -> LoopConfiguration {
        guard let bytes = try AtomicFile.read(path, limit: 1 << 20) else {
            throw AtomicFile.Failure(description: "\(path) is missing")
        }
        return try JSONDecoder().decode(LoopConfiguration.self, from: Data(bytes))
    }

    package func encoded() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// The command line of a task.
    func command(_ prompt: String, resumes: Bool) -> [String] {
        (resumes ? headlessResume ?? headless : headless).map {
            $0 == "${SESSION}" ? session : $0.replacing("${PROMPT}", with: prompt)
        }
    }
}
