extension SessionService {
    /// Sessions with how each stands now, the oldest first.
    ///
    /// - Parameters:
    ///   - project: only those of this directory; nil: of all.
    ///   - includesClosed: those too that are over.
    package func list(project: String?, includesClosed: Bool) async throws -> [SessionStatus] {
        let records = try store.all().filter {
            (project == nil || $0.project == project) && $0.state != .pooled && (includesClosed || $0.state != .closed)
        }
        let found = await withTaskGroup(of: SessionStatus.self) { group in
            for record in records { group.addTask { await knownStatus(record) } }
            return await group.reduce(into: [SessionID: SessionStatus]()) { $0[$1.record.id] = $1 }
        }
        try Task.checkCancellation()
        return records.compactMap { found[$0.id] }
    }

    /// How a session stands; a runtime that does not answer hides no other's.
    private func knownStatus(_ record: SessionRecord) async -> SessionStatus {
        do {
            return try await status(record)
        } catch {
            return SessionStatus(record: record, condition: .unknown, reason: "\(error)")
        }
    }

    /// The session that a user means: its id or the beginning of one; nil: the only one of the project.
    package func find(_ text: String?, directory: String) async throws -> SessionRecord {
        if text != nil { return try store.find(text, project: nil) }
        return try store.find(
            nil, project: try await repository(at: directory).root)
    }
}
