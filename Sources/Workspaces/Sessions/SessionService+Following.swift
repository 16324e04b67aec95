package import AgentLoop
import ExternalTools

extension SessionService {
    /// Hands out what the agent of a session without a terminal says and does, until it ends.
    ///
    /// - Returns: the session with the agent's result in its record. A cancelled call leaves the agent at work.
    package func follow(
        _ record: SessionRecord, format: AgentDeclaration.OutputFormat, from offset: Int = 0,
        _ body: @escaping @Sendable (AgentEvent) -> Void
    ) async throws -> SessionRecord {
        let reader = EventReader(format)
        let code = try await exitCode(of: record, reading: reader, from: offset, body)
        for event in await reader.readRest() { body(event) }
        var result = await reader.result(code)
        if result.isFailure, await !reader.tellsEnd {
            // Nobody has seen it: what was handed out is what it printed.
            result.message = await complaint(record) ?? result.message
        }
        return try await conclude(record, result)
    }

    /// The last lines of what the agent wrote to standard error; nil where there are none, or nobody can look.
    private func complaint(_ record: SessionRecord) async -> String? {
        let script = "[ ! -f \"$1\" ] || tail -n 10 \"$1\" | tail -c 2000"
        let output = try? await WorkspacePod(deployment(record)).capture(
            ["sh", "-c", script, "so-errors", "\(PodPaths.run)/errors.log"], limit: 1 << 16, silence: .seconds(30),
            what: "what the agent complained of")
        return output.flatMap { $0.text.isEmpty ? nil : $0.text }
    }

    private func away(_ record: SessionRecord, _ error: any Error) -> WorkspaceError {
        WorkspaceError(
            .unavailable, "the pod of session \(record.id) has been away for \(patience.components.seconds) s",
            cause: "\(error)", hint: "check its state with so session ls; its work is still in its volumes")
    }

    /// Reads the log to the agent's end. On a cluster a stream may be cut, and a pod be moved to another node: the agent goes on there, and so does its log.
    private func exitCode(
        of record: SessionRecord, reading reader: EventReader, from offset: Int,
        _ body: @escaping @Sendable (AgentEvent) -> Void
    ) async throws -> Int {
        var lastSeen = ContinuousClock.now
        while true {
            let before = await reader.count
            do {
                try await log(record, from: offset + before, follow: true) { bytes in
                    for event in await reader.read(bytes) { body(event) }
                }
                if let code = try await agentExit(record) { return code }
                throw WorkspaceError(
                    .failed, "the pod of session \(record.id) ended before its agent did",
                    hint: "so session resume \(record.id)")
            } catch  where record.place.restartsPods && !Task.isCancelled {
                if await reader.count > before { lastSeen = .now }
                // One that somebody has stopped does not come back by itself.
                guard try store.read(record.id).state == .running else { throw error }
                guard lastSeen.duration(to: .now) < patience else { throw away(record, error) }
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Hands out what the agent of a session has said and done so far.
    package func events(
        _ record: SessionRecord, format: AgentDeclaration.OutputFormat, follow: Bool,
        _ body: @escaping @Sendable (AgentEvent) -> Void
    ) async throws {
        let reader = EventReader(format)
        try await log(record, follow: follow) { bytes in
            for event in await reader.read(bytes) { body(event) }
        }
        for event in await reader.readRest() { body(event) }
    }

    private func conclude(_ record: SessionRecord, _ result: AgentResult) async throws -> SessionRecord {
        let lock = try await store.lock(record.id, verb: "logs")
        var record = try store.read(record.id)
        record.result = result
        try store.write(record)
        _ = consume lock
        return record
    }
}

/// Reads an agent's events out of bytes that come in pieces. Its lines are nobody's but the agent's: an endless one is cut.
actor EventReader {
    private static let lineLimit = 8 << 20
    private var output: AgentOutput
    private var pending: [UInt8] = []
    /// How many bytes it was given.
    private(set) var count = 0

    init(_ format: AgentDeclaration.OutputFormat) { output = AgentOutput(format) }

    func read(_ bytes: [UInt8]) -> [AgentEvent] {
        pending += bytes
        count += bytes.count
        var events: [AgentEvent] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            events += output.read(String(decoding: pending[..<end], as: UTF8.self))
            pending.removeSubrange(...end)
        }
        if pending.count > Self.lineLimit { pending = [] }
        return events
    }

    func readRest() -> [AgentEvent] {
        defer { pending = [] }
        return pending.isEmpty ? [] : output.read(String(decoding: pending, as: UTF8.self))
    }

    var tellsEnd: Bool { output.tellsEnd }

    func result(_ exitCode: Int) -> AgentResult { output.result(exitCode: exitCode) }
}
