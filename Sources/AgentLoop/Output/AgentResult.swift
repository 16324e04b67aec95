/// How an agent's run ended, by what it said and not by its exit code alone.
package struct AgentResult: Hashable, Sendable, Codable {
    package var exitCode: Int
    /// Whether the agent itself said that it did what it was asked; nil where it says nothing that can be read.
    package var succeeded: Bool?
    /// Its last message or error.
    package var message: String?

    package init(exitCode: Int, succeeded: Bool? = nil, message: String? = nil) {
        self.exitCode = exitCode
        self.succeeded = succeeded
        self.message = message
    }
}
