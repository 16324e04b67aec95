package import ExternalTools

/// Runs programs inside a pod that nobody trusts: what they print is input like any other.
package protocol PodShell: Sendable {
    /// Runs a command to its end with this input, hands out its output as it comes, and returns the exit code. The body holds the program back
    /// while it works, and ends it by throwing.
    func stream(
        _ command: [String], input: [UInt8],
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int
}
