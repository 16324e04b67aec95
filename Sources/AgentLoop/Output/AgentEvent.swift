package import Egress

/// What one line of a headless run's output says.
package enum AgentEvent: Hashable, Sendable {
    /// The agent's own name of the run, for a resume.
    case started(session: String)
    /// What it says.
    case text(String)
    /// What it does: the tool's name, and what it is about (a command, a file).
    case tool(name: String, detail: String)
    /// Something that went wrong and that it may get over.
    case problem(String)
    case ended(AgentEnd)
}

/// The result event: an exit code alone is never believed.
package struct AgentEnd: Hashable, Sendable {
    package var succeeded: Bool
    /// Its last message, or what went wrong.
    package var message: String?
    package var usage: TokenUsage?
    /// What the provider answered where that ended it, such as 429.
    package var providerStatus: Int?

    package init(succeeded: Bool, message: String? = nil, usage: TokenUsage? = nil, providerStatus: Int? = nil) {
        self.providerStatus = providerStatus
        self.succeeded = succeeded
        self.message = message
        self.usage = usage
    }
}
