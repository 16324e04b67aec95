import FoundationEssentials
import Glibc
import Subprocess
import SystemPackage

extension Command {
    /// How much standard output is read, in bytes; more is a failure, never a silent cut.
    package static let outputLimit = 64 << 20
    /// How much of standard error is kept, in bytes: its end.
    package static let errorLimit = 64 << 10

    /// Runs it to its end.
    /// - Throws: ``CommandFailure`` for an exit code other than zero, too.
    @discardableResult
    package func run() async throws(CommandFailure) -> CommandOutput {
        let output = try await result()
        guard output.status == 0 else {
            throw CommandFailure(.exited(output.status), command: description, standardError: output.standardError)
        }
        return output
    }

    /// Runs it to its end and leaves the judgement of the exit code to the caller.
    /// - Throws: ``CommandFailure`` where it could not run, wrote too much, or the task was cancelled.
    package func result() async throws(CommandFailure) -> CommandOutput {
        if cancellation == .finish { return try await lastingResult() }
        let collected = Collector()
        let status = try await stream { stream, bytes throws(CommandFailure) in
            try await collected.append(bytes, to: stream, of: self)
        }
        return await collected.output(status: status)
    }

    /// Hands every chunk of output to the closure as it comes, in order per stream, and returns the exit code.
    ///
    /// The closure holds back the program while it works. When it throws, the program is ended.
    package func stream(
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(CommandFailure) -> Int {
        try await guarded {
            if let input {
                return try await execute(
                    .fileDescriptor(try memoryFile(input), closeAfterSpawningProcess: true), body)
            }
            return try await execute(.none, body)
        }
    }

    private func execute(
        _ input: some InputProtocol,
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws -> Int {
        let result = try await Subprocess.run(
            configuration(processGroup: 0), input: input, output: .sequence, error: .sequence
        ) { execution in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (output, error) = (execution.standardOutput, execution.standardError)
                group.addTask { try await forward(output, as: .standardOutput, to: body) }
                group.addTask { try await forward(error, as: .standardError, to: body) }
                try await group.waitForAll()
            }
        }
        return result.terminationStatus.exitCode
    }

    /// Runs it so that it comes to its end whatever becomes of this process: it writes into files in memory, for a pipe whose reader is gone
    /// would end it between two steps, and it has a session of its own, which no terminal's end reaches.
    private func lastingResult() async throws(CommandFailure) -> CommandOutput {
        let files: (output: FileDescriptor, error: FileDescriptor)
        do {
            files = (try memoryFile([]), try memoryFile([]))
        } catch {
            throw failure(for: error)
        }
        defer { for file in [files.output, files.error] { try? file.close() } }
        var detached = self
        detached.isDetached = true
        let command = detached
        let status = try await guarded {
            if let input {
                let file = try memoryFile(input)
                return try await command.execute(.fileDescriptor(file, closeAfterSpawningProcess: true), files)
            }
            return try await command.execute(.none, files)
        }
        do {
            let bytes = try contents(of: files.output, limit: Self.outputLimit + 1)
            guard bytes.count <= Self.outputLimit else { throw CommandFailure(.outputTooLong, command: description) }
            let error = try contents(of: files.error, limit: 2 * Self.errorLimit).suffix(Self.errorLimit)
            return CommandOutput(
                status: status, standardOutput: bytes, standardError: String(decoding: error, as: UTF8.self))
        } catch {
            throw failure(for: error)
        }
    }

    private func execute(
        _ input: some InputProtocol, _ files: (output: FileDescriptor, error: FileDescriptor)
    ) async throws -> Int {
        try await Subprocess.run(
            configuration(processGroup: nil), input: input,
            output: .fileDescriptor(files.output, closeAfterSpawningProcess: false),
            error: .fileDescriptor(files.error, closeAfterSpawningProcess: false)
        ).terminationStatus.exitCode
    }

    func configuration(processGroup: Int32?) -> Configuration {
        var options = PlatformOptions()
        // A session is a process group too, and cannot be combined with one.
        options.createSession = isDetached
        options.processGroupID = isDetached ? nil : processGroup
        let toGroup = isDetached || processGroup != nil
        options.teardownSequence =
            switch cancellation {
            case .terminate: [.gracefulShutDown(toProcessGroup: toGroup, allowedDurationToNextStep: .seconds(3))]
            // Signal 0 reaches nobody: the program finishes what it does. A stop takes as long as the grace that the stack asks for.
            case .finish: [.send(signal: Signal(rawValue: 0), allowedDurationToNextStep: .seconds(86_400))]
            }
        return Configuration(
            executable: executablePath.map { .path(FilePath($0)) } ?? .name(program),
            arguments: Arguments(arguments),
            environment: .custom(completeEnvironment),
            workingDirectory: workingDirectory.map { FilePath($0) }, platformOptions: options)
    }

    /// All that the program finds in its environment.
    private var completeEnvironment: [Subprocess.Environment.Key: String] {
        let own = host.filter { name, _ in
            !withheld.contains(name) && inherited?.contains(name) ?? true
        }
        let all = own.merging(environment) { $1 }
        return Dictionary(all.map { (Subprocess.Environment.Key(stringLiteral: $0.key), $0.value) }) { $1 }
    }

    /// Where the program is. Given a name alone, Subprocess forks once for each directory of PATH until one of them has it.
    private var executablePath: String? {
        if program.contains("/") { return program }
        let path = environment["PATH"] ?? host["PATH"] ?? ""
        return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }.first { candidate in
            var status = stat()
            return access(candidate, X_OK) == 0 && stat(candidate, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }

    func guarded(_ operation: () async throws -> Int) async throws(CommandFailure) -> Int {
        CommandObserver.current?.willRun(self)
        let status: Int
        do {
            status = try await operation()
        } catch {
            throw failure(for: error)
        }
        if Task.isCancelled { throw CommandFailure(.cancelled, command: description) }
        return status
    }

    private func failure(for error: any Error) -> CommandFailure {
        if Task.isCancelled { return CommandFailure(.cancelled, command: description) }
        switch error {
        case let failure as CommandFailure: return failure
        case let error as SubprocessError where error.code == .executableNotFound:
            return CommandFailure(
                .programMissing, command: description, cause: "\(program) — \(installationHint(program))")
        case let error as SubprocessError:
            return CommandFailure(.notStarted, command: description, cause: error.description)
        case let error as Errno: return CommandFailure(.notStarted, command: description, cause: error.description)
        default: return CommandFailure(.cancelled, command: description)
        }
    }
}

/// Which of its two streams a program wrote to.
package enum OutputStream: Hashable, Sendable {
    case standardOutput
    case standardError
}

private func forward(
    _ sequence: SubprocessOutputSequence, as stream: OutputStream,
    to body: @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
) async throws {
    for try await buffer in sequence {
        try await body(stream, buffer.withUnsafeBytes { Array($0) })
    }
}

extension TerminationStatus {
    var exitCode: Int {
        switch self {
        case .exited(let code): Int(code)
        case .signaled(let signal): 128 + Int(signal)
        }
    }
}

/// Gathers both streams: all of the output up to the limit, the end of the errors.
private actor Collector {
    private var standardOutput: [UInt8] = []
    private var standardError: [UInt8] = []

    func append(_ bytes: [UInt8], to stream: OutputStream, of command: Command) throws(CommandFailure) {
        switch stream {
        case .standardOutput:
            standardOutput += bytes
            if standardOutput.count > Command.outputLimit {
                throw CommandFailure(.outputTooLong, command: command.description)
            }
        case .standardError:
            standardError += bytes
            if standardError.count > 2 * Command.errorLimit { standardError.removeFirst(Command.errorLimit) }
        }
    }

    func output(status: Int) -> CommandOutput {
        let error = String(decoding: standardError.suffix(Command.errorLimit), as: UTF8.self)
        return CommandOutput(status: status, standardOutput: standardOutput, standardError: error)
    }
}

/// A file in memory that holds the bytes, at its start: unlike a pipe, it raises no SIGPIPE where the program does not read it.
private func memoryFile(_ bytes: [UInt8]) throws -> FileDescriptor {
    let name = "/so-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    let number = shm_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    shm_unlink(name)
    let file = FileDescriptor(rawValue: number)
    do {
        try file.writeAll(bytes)
        try file.seek(offset: 0, from: .start)
    } catch {
        try? file.close()
        throw error
    }
    return file
}

/// The beginning of a file that was written through this descriptor, in bytes.
private func contents(of file: FileDescriptor, limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while bytes.count < limit {
        let count = try buffer.withUnsafeMutableBytes {
            try file.read(fromAbsoluteOffset: Int64(bytes.count), into: $0)
        }
        if count == 0 { break }
        bytes += buffer.prefix(count)
    }
    return bytes
}
