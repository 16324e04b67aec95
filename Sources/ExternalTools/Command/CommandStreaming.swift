import Glibc
import Subprocess
import SystemPackage

extension Command {
    /// Runs it on streams that the caller owns, and returns its exit code.
    ///
    /// The program ends when it wants to; the end of its input alone does not end it. A cancelled task ends it.
    package func run(on streams: CommandStreams) async throws(CommandFailure) -> Int {
        try await guarded {
            if let files = streams.files { return try await run(on: files) }
            if let terminal = streams.terminal { return try await converse(streams, on: terminal) }
            guard let input = streams.input else { return try await converse(.none, streams) {} }
            let (near, far) = try Descriptor.pair()
            let status = try await converse(.fileDescriptor(far, closeAfterSpawningProcess: true), streams) {
                for await bytes in input { if try await !near.write(bytes) { return } }
                near.finishWriting()
            }
            withExtendedLifetime(near) {}
            return status
        }
    }

    private func run(on files: StreamFiles) async throws -> Int {
        guard let input = files.input else { return try await run(.none, on: files) }
        return try await run(Self.lent(input), on: files)
    }

    /// In the process group of the caller: a terminal's keys reach it too.
    private func run(_ input: some InputProtocol, on files: StreamFiles) async throws -> Int {
        try await Subprocess.run(
            configuration(processGroup: nil), input: input, output: Self.lent(files.output),
            error: Self.lent(files.error)
        ).terminationStatus.exitCode
    }

    private static func lent(_ number: Int32) -> FileDescriptorInput {
        .fileDescriptor(FileDescriptor(rawValue: number), closeAfterSpawningProcess: false)
    }

    private static func lent(_ number: Int32) -> FileDescriptorOutput {
        .fileDescriptor(FileDescriptor(rawValue: number), closeAfterSpawningProcess: false)
    }

    private func converse(
        _ input: some InputProtocol, _ streams: CommandStreams, feed: @escaping @Sendable () async throws -> Void
    ) async throws -> Int {
        try await Subprocess.run(
            configuration(processGroup: 0), input: input, output: .sequence, error: .sequence
        ) { execution in
            let (output, error) = (execution.standardOutput, execution.standardError)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask { try await pass(output, as: .standardOutput, to: streams.output) }
                group.addTask { try await pass(error, as: .standardError, to: streams.output) }
                group.addTask {
                    try await feed()
                    return false
                }
                try await awaitOutputs(2, in: &group)
            }
        }.terminationStatus.exitCode
    }

    private func converse(_ streams: CommandStreams, on terminal: TerminalSizes) async throws -> Int {
        let (near, far) = try Descriptor.terminal(terminal.first)
        return try await Subprocess.run(
            configuration(processGroup: 0), input: .fileDescriptor(far[0], closeAfterSpawningProcess: true),
            output: .fileDescriptor(far[1], closeAfterSpawningProcess: true),
            error: .fileDescriptor(far[2], closeAfterSpawningProcess: true)
        ) { execution in
            let resized: @Sendable () -> Void = { try? execution.send(signal: .windowSizeChange) }
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    while let bytes = try await near.read() { try await streams.output(.standardOutput, bytes) }
                    return true
                }
                group.addTask {
                    for await bytes in streams.input ?? .finished { if try await !near.write(bytes) { break } }
                    return false
                }
                group.addTask {
                    // As a terminal does: podman forgets the exit code of a program that ends while it handles the signal.
                    var current = terminal.first
                    for await size in terminal.later ?? .finished where size != current {
                        current = size
                        near.resize(size)
                        resized()
                    }
                    return false
                }
                try await awaitOutputs(1, in: &group)
            }
        }.terminationStatus.exitCode
    }
}

/// Waits until so many outputs have come to their end, and ends what only feeds the program.
private func awaitOutputs(_ count: Int, in group: inout ThrowingTaskGroup<Bool, any Error>) async throws {
    var remaining = count
    while remaining > 0, let isOutput = try await group.next() { remaining -= isOutput ? 1 : 0 }
    group.cancelAll()
}

private func pass(
    _ sequence: SubprocessOutputSequence, as stream: OutputStream, to receiver: CommandStreams.Receiver
) async throws -> Bool {
    for try await buffer in sequence { try await receiver(stream, buffer.withUnsafeBytes { Array($0) }) }
    return true
}

extension AsyncStream {
    fileprivate static var finished: AsyncStream<Element> { AsyncStream { $0.finish() } }
}
