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
        try await log(record, from: offset, follow: true) { bytes in
            for event in await reader.read(bytes) { body(event) }
        }
        for event in await reader.readRest() { body(event) }
        guard let code = try await agentExit(record) else {
            throw WorkspaceError(
                .failed, "the pod of session \(record.id) ended before its agent did",
                hint: "so session resume \(record.id)")
        }
        return try await conclude(record, await reader.result(code))
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

    init(_ format: AgentDeclaration.OutputFormat) { output = AgentOutput(format) }

    func read(_ bytes: [UInt8]) -> [AgentEvent] {
        pending += bytes
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

    func result(_ exitCode: Int) -> AgentResult { output.result(exitCode: exitCode) }
}
