import ExternalTools
import Runtimes
import YAML

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

/// How long a hook may take: `SO_HOOK_TIMEOUT` in seconds, else five minutes.
///
/// - Parameter environment: the operator's.
package func hookLimit(_ environment: [String: String]) -> Duration {
    let written = environment["SO_HOOK_TIMEOUT"].flatMap { Int($0) }
    return .seconds(written.flatMap { $0 > 0 ? $0 : nil } ?? 300)
}

/// Runs a hook of a stack in the deployment directory; each line that it prints goes to `note`.
///
/// - Parameters:
///   - host: the operator's environment, which the hook inherits.
///   - environment: more variables, over those of the facts.
/// - Throws: ``DeploymentError`` (`failed`) with the hook's last lines, also where it has not ended within the limit: it is ended then.
package func runHook(
    _ path: String, arguments: [String] = [], facts: HookFacts, host: [String: String],
    environment: [String: String] = [:],
    workingDirectory: String? = nil, python: PythonHook? = nil,
    limit: Duration, note: @escaping @Sendable (String) -> Void
) async throws {
    let (variables, place) = (facts.environment.merging(environment) { $1 }, workingDirectory ?? facts.directory)
    let call = PythonHook.isPython(path) ? python : nil
    let command =
        call?.command(facts: facts, host: host, environment: variables, workingDirectory: place)
        ?? Command(path, arguments, host: host, environment: variables, workingDirectory: place)
    _ = try await runHook(command, limit: limit, note: note)
}

/// Runs a hook whose standard output is a result: the `init` hook's spec fragment. What it writes to standard error goes to `note`.
package func captureHook(
    _ path: String, host: [String: String], environment: [String: String], workingDirectory: String,
    python: PythonHook? = nil,
    limit: Duration, note: @escaping @Sendable (String) -> Void
) async throws -> [UInt8] {
    let call = PythonHook.isPython(path) ? python : nil
    let command =
        call?.command(facts: nil, host: host, environment: environment, workingDirectory: workingDirectory)
        ?? Command(path, [], host: host, environment: environment, workingDirectory: workingDirectory)
    return try await runHook(command, capturesOutput: true, limit: limit, note: note)
}

/// Runs a `setup` hook, which knows no deployment; relative paths among its arguments start in the working directory.
package func runSetupHook(
    _ path: String, arguments: [String], host: [String: String], environment: [String: String],
    workingDirectory: String,
    python: PythonHook, limit: Duration, note: @escaping @Sendable (String) -> Void
) async throws {
    let command =
        PythonHook.isPython(path)
        ? python.command(facts: nil, host: host, environment: environment, workingDirectory: workingDirectory)
        : Command(path, arguments, host: host, environment: environment, workingDirectory: workingDirectory)
    _ = try await runHook(command, limit: limit, note: note)
}

private func runHook(
    _ command: Command, capturesOutput: Bool = false, limit: Duration, note: @escaping @Sendable (String) -> Void
) async throws -> [UInt8] {
    let tail = LineTail(limit: 20)
    let output = HookOutput()
    let description = command.description
    let status: Int?
    do {
        status = try await withDeadline(limit) {
            try await command.lines { stream, line throws(CommandFailure) in
                if capturesOutput, stream == .standardOutput {
                    guard await output.take(line) else { throw CommandFailure(.outputTooLong, command: description) }
                    return
                }
                await tail.append(line)
                note(line)
            }
        }
    } catch let error as CommandFailure {
        if error.code == .cancelled { throw error }
        if error.code == .outputTooLong {
            throw DeploymentError(
                .failed, "the hook \(hookName(command)) printed more than \(HookOutput.limit >> 20) MiB, and was ended",
                hint: "its standard output is the spec's fragment: print everything else to standard error")
        }
        if command.program == "python3" {
            throw DeploymentError(
                .unavailable, "the hook \(command.arguments.last ?? "") is Python, and python3 could not run",
                cause: "\(error)",
                hint: "install python3, 3.9 or newer")
        }
        throw DeploymentError(
            .failed,
            "the hook \(hookName(command)) could not run: \(error.cause ?? error.description)",
            cause: "\(error)",
            hint: "check that it is executable and that the program of its first line is installed")
    }
    let lines = await tail.lines.map { "\n  | \($0)" }.joined()
    guard let status else {
        throw DeploymentError(
            .failed,
            "the hook \(hookName(command)) has not ended within \(limit.components.seconds) s, and was ended\(lines)",
            hint: "fix it, or give it more time with SO_HOOK_TIMEOUT=<seconds>")
    }
    guard status == 0 else {
        throw DeploymentError(.failed, "the hook \(hookName(command)) ended with exit code \(status)\(lines)")
    }
    return await output.bytes
}

/// What a hook printed that is its result.
private actor HookOutput {
    /// What is read of a YAML document, in bytes.
    static let limit = YAMLLimits.standard.bytes

    private(set) var bytes: [UInt8] = []

    /// Keeps a line; false where that would be too much.
    func take(_ line: String) -> Bool {
        bytes += line.utf8
        bytes.append(UInt8(ascii: "\n"))
        return bytes.count <= Self.limit
    }
}

private func hookName(_ command: Command) -> String {
    command.program == "python3" ? command.arguments.suffix(1).joined() : command.program
}
