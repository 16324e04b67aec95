import ExternalTools

/// What a hook is told about its deployment, as `SO_*` variables.
package struct HookFacts: Hashable, Sendable {
    /// The deployment directory; the hook runs in it.
    package var directory: String
    package var identity: Identity
    package var namespace: String

    package init(directory: String, identity: Identity, namespace: String) {
        self.directory = directory
        self.identity = identity
        self.namespace = namespace
    }

    var environment: [String: String] {
        [
            "SO_DEPLOYMENT_DIR": directory, "SO_DEPLOYMENT_ID": identity.deploymentID, "SO_NAMESPACE": namespace,
            "SO_STACK": identity.stackName, "SO_TARGET": identity.target, "SO_STACK_SOURCE": identity.stackSource,
            "SO_VERSION": identity.toolVersion,
        ]
    }
}

/// Runs a hook of a stack in the deployment directory; each line that it prints goes to `note`.
///
/// - Throws: ``DeploymentError`` (`failed`) with the hook's last lines.
package func runHook(
    _ path: String, arguments: [String] = [], facts: HookFacts, note: @escaping @Sendable (String) -> Void
) async throws {
    let command = Command(path, arguments, environment: facts.environment, workingDirectory: facts.directory)
    let tail = LineTail(limit: 20)
    let status: Int
    do {
        status = try await command.lines { _, line throws(CommandFailure) in
            await tail.append(line)
            note(line)
        }
    } catch {
        if error.code == .cancelled { throw error }
        throw DeploymentError(
            .failed,
            "the hook \(path) could not run: \(error.cause ?? error.description) — is it executable, and is "
                + "the program of its first line installed?", cause: "\(error)")
    }
    guard status == 0 else {
        let lines = await tail.lines.map { "\n  | \($0)" }.joined()
        throw DeploymentError(.failed, "the hook \(path) ended with exit code \(status)\(lines)")
    }
}

/// The last lines of a program's output.
actor LineTail {
    private(set) var lines: [String] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    func append(_ line: String) {
        lines.append(line)
        if lines.count > limit { lines.removeFirst() }
    }
}
