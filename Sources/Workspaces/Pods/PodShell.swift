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

extension PodShell {
    /// The most that ``capture(_:input:limit:)`` reads unless told otherwise, in bytes.
    package static var captureLimit: Int { 16 << 20 }

    /// Runs a command and returns all that it printed.
    ///
    /// - Throws: ``WorkspaceError`` (`failed`) where it printed more than the limit.
    package func capture(
        _ command: [String], input: [UInt8] = [], limit: Int = captureLimit
    ) async throws(WorkspaceError) -> CommandOutput {
        let gathered = Gathered(limit: limit)
        let status = try await stream(command, input: input) { stream, bytes throws(CommandFailure) in
            guard await gathered.add(bytes, to: stream) else {
                throw CommandFailure(.outputTooLong, command: command.first ?? "")
            }
        }
        return await gathered.output(status: status)
    }
}

extension PodShell {
    /// Runs a command as ``stream(_:input:_:)`` does, and ends it where nothing is heard of it for too long: an agent may stop or block what runs
    /// beside it.
    ///
    /// - Parameter what: what is waited for, as the error names it.
    package func stream(
        _ command: [String], input: [UInt8] = [], silence: Duration, what: String,
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int {
        let clock = SilenceClock()
        do {
            return try await withThrowingTaskGroup(of: Int?.self) { group in
                group.addTask {
                    try await stream(command, input: input) { stream, bytes throws(CommandFailure) in
                        clock.heard()
                        try await body(stream, bytes)
                    }
                }
                group.addTask {
                    try await clock.wait(silence)
                    return nil
                }
                defer { group.cancelAll() }
                if let status = try await group.next() ?? nil { return status }
                throw WorkspaceError(
                    .failed, "the pod has sent nothing for \(silence.components.seconds) s: \(what) never came",
                    hint: "something in it may be stopped or blocked; so session shell looks, so session stop ends it")
            }
        } catch let error as WorkspaceError {
            throw error
        } catch {
            throw WorkspaceError(.cancelled, "\(what) was not waited for")
        }
    }

    /// As ``capture(_:input:limit:)``, with a limit of silence.
    package func capture(
        _ command: [String], limit: Int = captureLimit, silence: Duration, what: String
    ) async throws(WorkspaceError) -> CommandOutput {
        let gathered = Gathered(limit: limit)
        let status = try await stream(command, silence: silence, what: what) { stream, bytes throws(CommandFailure) in
            guard await gathered.add(bytes, to: stream) else {
                throw CommandFailure(.outputTooLong, command: command.first ?? "")
            }
        }
        return await gathered.output(status: status)
    }
}

/// Both streams of a program, up to a limit; of standard error, the end.
private actor Gathered {
    private let limit: Int
    private var output: [UInt8] = []
    private var errors: [UInt8] = []

    init(limit: Int) { self.limit = limit }

    func add(_ bytes: [UInt8], to stream: OutputStream) -> Bool {
        switch stream {
        case .standardOutput: output += bytes
        case .standardError: errors = Array((errors + bytes).suffix(Command.errorLimit))
        }
        return output.count <= limit
    }

    func output(status: Int) -> CommandOutput {
        CommandOutput(status: status, standardOutput: output, standardError: String(decoding: errors, as: UTF8.self))
    }
}
