extension SessionService {
    /// Gives a session without a terminal another instruction: its agent goes on where it ended, in the same checkout and home.
    ///
    /// - Throws: ``WorkspaceError`` (`failed`) where the session is over.
    package func instruct(
        _ record: SessionRecord, prompt: String, events: @escaping SessionEvents = { _ in }
    ) async throws -> SessionRecord {
        if try await status(record).condition != .stopped { _ = try await stop(record) }
        let lock = try await store.lock(record.id, verb: "prompt")
        var again = try store.read(record.id)
        (again.prompt, again.result) = (prompt, nil)
        try store.write(again)
        _ = consume lock
        return try await resume(again, events: events)
    }

    /// The bare repository that a session's work is collected in; no pod mounts it.
    package func collectedDirectory(_ record: SessionRecord) -> String { stores(record).collected }

    /// What sessions of the same project share on this host.
    package func projectDirectory(_ record: SessionRecord) -> String { stores(record).directory }
}
