import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage

/// A finished program: how it ended and what it said.
package struct Finished: Sendable, CustomStringConvertible {
    package let command: String
    /// The exit code, or minus the signal's number where a signal ended it.
    package let status: Int
    package let output: String
    package let errors: String

    package var succeeded: Bool { status == 0 }
    /// Standard output without white space around it.
    package var line: String { output.trimmingCharacters() }
    /// All it said, for a search that does not care where.
    package var everything: String { output + errors }

    package var description: String {
        "`\(command)` ended with \(status)\n--- stdout\n\(output)\n--- stderr\n\(errors)"
    }
}

/// A program that is running: what it has said so far, and a way to signal it.
package struct Running: Sendable {
    package let processIdentifier: Int32
    fileprivate let outputPath: String
    fileprivate let errorsPath: String

    /// False once it has ended, also before anybody has asked for its status.
    package var isAlive: Bool {
        let state = (try? read("/proc/\(processIdentifier)/stat")).flatMap {
            $0.split(separator: ")").last?.dropFirst().first
        }
        return state != nil && state != "Z"
    }
    package var output: String { (try? read(outputPath)) ?? "" }
    package var errors: String { (try? read(errorsPath)) ?? "" }

    /// To this process alone, not to its children. One that has ended is no error.
    package func send(signal: Int32) { _ = kill(processIdentifier, signal) }
    /// SIGINT, as Ctrl-C gives it on a terminal: to the whole process group.
    package func interrupt() { _ = kill(-processIdentifier, SIGINT) }
    package func terminate() { _ = kill(processIdentifier, SIGTERM) }
    package func killNow() { _ = kill(processIdentifier, SIGKILL) }
}

/// Runs a program to its end, with exactly the environment given. `during` sees it run, and may end it.
///
/// Output goes to files, not pipes: a grandchild that lives on (podman leaves some) does not hold up the end of the program.
package func run(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String? = nil,
    input: String = "",
    isolation: isolated (any Actor)? = #isolation, during: (Running) async throws -> Void = { _ in }
) async throws -> Finished {
    await programs.enter()
    do {
        let finished = try await runInTurn(
            program, arguments, environment: environment, directory: directory, input: input, isolation: isolation,
            during: during)
        await programs.leave()
        return finished
    } catch {
        await programs.leave()
        throw error
    }
}

/// A thousand tests that begin at once would start some hundred programs at once, and everything that has a limit of time would pass it.
/// Nobody waits for long: a program may be waiting for another one.
private actor Programs {
    private static let places = 12
    private static let patience = Duration.seconds(15)
    private var running = 0

    func enter() async {
        let end = ContinuousClock.now + Self.patience
        while running >= Self.places, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(30))
        }
        running += 1
    }

    func leave() { running -= 1 }
}

private let programs = Programs()

private func runInTurn(
    _ program: String, _ arguments: [String], environment: [String: String], directory: String?, input: String,
    isolation: isolated (any Actor)?, during: (Running) async throws -> Void
) async throws -> Finished {
    try await withTemporaryDirectory("so-run") { scratch in
        let (out, err) = (scratch + "/out", scratch + "/err")
        let inputPath = scratch + "/in"
        try write(input, to: inputPath)
        let configuration = Configuration(
            executable: program.contains("/") ? .path(FilePath(program)) : .name(program),
            arguments: Arguments(arguments),
            environment: .custom(
                Dictionary(uniqueKeysWithValues: environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) })
            ),
            workingDirectory: directory.map { FilePath($0) }, platformOptions: ownGroup)
        let result = try await Subprocess.run(
            configuration,
            input: .fileDescriptor(try FileDescriptor.open(inputPath, .readOnly), closeAfterSpawningProcess: true),
            output: .fileDescriptor(try openForWriting(out), closeAfterSpawningProcess: true),
            error: .fileDescriptor(try openForWriting(err), closeAfterSpawningProcess: true)
        ) { execution in
            try await during(
                Running(processIdentifier: execution.processIdentifier.value, outputPath: out, errorsPath: err))
        }
        let status =
            switch result.terminationStatus {
            case .exited(let code): Int(code)
            case .signaled(let signal): -Int(signal)
            }
        return Finished(
            command: ([program] + arguments).joined(separator: " "), status: status, output: try read(out),
            errors: try read(err))
    }
}

/// A group of its own, so that an interrupt reaches a program and its children but not the test runner.
private let ownGroup: PlatformOptions = {
    var options = PlatformOptions()
    options.processGroupID = 0
    return options
}()

private func openForWriting(_ path: String) throws -> FileDescriptor {
    try FileDescriptor.open(path, .writeOnly, options: [.create, .append], permissions: .ownerReadWrite)
}

extension String {
    /// Without white space and newlines at both ends.
    package func trimmingCharacters() -> String {
        let tail = drop(while: \.isWhitespace)
        return String(tail.reversed().drop(while: \.isWhitespace).reversed())
    }
}
