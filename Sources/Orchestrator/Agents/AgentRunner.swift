/// Runs agents for the dispatcher: prepares a workspace, hands it a task, tells what happens, brings the work out. Nothing here knows a runtime.
package protocol AgentRunner: Sendable {
    /// Makes the task's session, or finds the one that it has. Called again after a crash, it goes on from there.
    ///
    /// - Parameter budget: US dollars that the agent may spend from now on; nil: as much as it wants.
    func prepare(_ task: IssueTask, budget: Double?) async throws -> PreparedSession
    /// Has the agent work on the task's instruction until it ends, from where it is. A cancelled call leaves the agent at work.
    func run(_ task: IssueTask, _ events: @escaping @Sendable (AgentRunEvent) -> Void) async throws
        -> AgentOutcome
    /// Ends the agent; its work stays.
    func stop(_ task: IssueTask) async throws
    /// Brings the work so far out of the session; nil where nothing was changed.
    func collect(_ task: IssueTask) async throws -> CollectedWork?
    /// What the session has changed, as git shows it.
    func diff(_ task: IssueTask) async throws -> String
    /// Takes the session down for good.
    func remove(_ task: IssueTask) async throws
    /// The sessions of this host, but for those named, each with the task that it was made for: also what was made and not written down by a server that
    /// was killed over it.
    func sessions(besides known: Set<String>) async throws -> [String: Int64]
    /// What a repository takes of this host's disk, in bytes: its clone, what was collected, and the work of its sessions.
    func diskUse(of repository: RepositoryReference, tasks: [IssueTask]) async throws -> Int64
}

/// A session that has a task's instruction.
package struct PreparedSession: Hashable, Sendable {
    package var name: String
    /// Of the paths that the issue names, those that the repository has; nil where they were looked up before.
    package var relatedFiles: [String]?

    package init(name: String, relatedFiles: [String]? = nil) {
        self.name = name
        self.relatedFiles = relatedFiles
    }
}

/// What an agent does while it works.
package enum AgentRunEvent: Hashable, Sendable {
    case output(String)
    case step(String)
    /// What the session has used in all.
    case usage(TaskUsage)
    /// A version of reporting.yaml that was refused, with file:line.
    case refused(String)
}

/// How an agent's run ended.
package struct AgentOutcome: Hashable, Sendable {
    /// What it says it did.
    package var summary: String?
    /// Commands that it tested its work with.
    package var tests: [String]
    /// Nil: it did what it was asked.
    package var failure: TaskFailure?
    /// What the session has used in all; nil where nobody knows.
    package var usage: TaskUsage?

    package init(
        summary: String? = nil, tests: [String] = [], failure: TaskFailure? = nil, usage: TaskUsage? = nil
    ) {
        self.summary = summary
        self.tests = tests
        self.failure = failure
        self.usage = usage
    }
}

/// Work that was brought out of a session, in a bare repository that no agent can write.
package struct CollectedWork: Hashable, Sendable {
    package var gitDirectory: String
    /// The operator's environment, for git.
    package var host: [String: String]
    package var commit: String
    /// The commit that the session began from.
    package var base: String

    package init(gitDirectory: String, host: [String: String], commit: String, base: String) {
        self.gitDirectory = gitDirectory
        self.host = host
        self.commit = commit
        self.base = base
    }
}
