/// What a project's configuration says about its issues.
package struct IntakeRules: Hashable, Sendable {
    /// Sets a task off.
    package var label: String
    /// What the orchestrator is called in comments, without `@`.
    package var names: [String]
    /// The agent profiles that there are.
    package var agents: Set<String>
    package var defaultAgent: String
    /// The first that fits chooses the agent, where no label does.
    package var routes: [Route]
    /// Labels that put a task before others.
    package var priorities: [String: Int]
    /// Begins the names of branches.
    package var branchPrefix: String

    /// Which issues an agent gets.
    package struct Route: Hashable, Sendable {
        package var agent: String
        /// Beginnings of paths that the issue names.
        package var paths: [String]
        /// Words of its title or text.
        package var words: [String]
        package var labels: [String]

        package init(agent: String, paths: [String] = [], words: [String] = [], labels: [String] = []) {
            self.agent = agent
            self.paths = paths
            self.words = words
            self.labels = labels
        }
    }

    package init(
        label: String = "so", names: [String] = ["so"], agents: Set<String>, defaultAgent: String = "default",
        routes: [Route] = [], priorities: [String: Int] = IntakeRules.defaultPriorities, branchPrefix: String = "so"
    ) {
        self.label = label
        self.names = names
        self.agents = agents
        self.defaultAgent = defaultAgent
        self.routes = routes
        self.priorities = priorities
        self.branchPrefix = branchPrefix
    }

    package static let defaultPriorities = [
        "priority:critical": 30, "priority:high": 20, "priority:medium": 10, "priority:low": -10,
    ]

    /// `so/agent:codex`, then the routes, then the default.
    package func agent(for issue: ForgeIssue, text: String) -> String {
        let prefix = "\(label)/agent:"
        let named = issue.labels.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        if let agent = named.first(where: agents.contains) { return agent }
        let paths = IssueContents.candidatePaths(text)
        let words = Set("\(issue.title) \(text)".lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
        let route = routes.first { route in
            agents.contains(route.agent)
                && (route.labels.contains(where: issue.labels.contains)
                    || route.words.contains { words.contains($0.lowercased()) }
                    || route.paths.contains { start in paths.contains { $0.hasPrefix(start) } })
        }
        return route?.agent ?? defaultAgent
    }

    func priority(of issue: ForgeIssue) -> Int {
        issue.labels.compactMap { priorities[$0.lowercased()] }.max() ?? 0
    }
}
