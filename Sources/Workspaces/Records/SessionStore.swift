import FoundationEssentials
import Glibc
package import Runtimes
import YAML

/// The records of this user's sessions, a file each: read by all, changed by one command at a time.
package struct SessionStore: Sendable {
    /// See `hostStateDirectory(_:)`.
    package let state: String

    package init(state: String) { self.state = state }

    private var directory: String { "\(state)/sessions" }

    private func file(_ id: SessionID) -> String { "\(directory)/\(id).json" }

    /// What belongs to one session alone: its deployment's state, its keys. Made with mode 0700.
    package func directory(of id: SessionID) -> String { "\(directory)/\(id)" }

    /// Makes it, and notes in it where the session runs: what is left of one without a record is removed from there.
    func makeDirectory(of record: SessionRecord) throws {
        try makeDirectory(of: record.id, on: record.runtime)
        if let runtime = record.runtime, runtime.hasNamespaces { try note(cluster: runtime) }
    }

    func makeDirectory(of id: SessionID, on runtime: SessionRuntime?) throws {
        let directory = directory(of: id)
        try Files.makeDirectory(directory, mode: 0o700)
        guard let runtime, !Files.exists("\(directory)/runtime.json") else { return }
        try Files.write(Array(try JSONEncoder().encode(runtime)), to: "\(directory)/runtime.json", mode: 0o600)
    }

    /// Where a session runs whose record is gone.
    func runtime(ofOrphan id: SessionID) throws -> SessionRuntime {
        guard let bytes = try Files.readIfPresent("\(directory(of: id))/runtime.json") else { return SessionRuntime() }
        return try JSONDecoder().decode(SessionRuntime.self, from: Data(bytes))
    }

    /// Every session whose record can be read, the oldest first.
    package func all() throws -> [SessionRecord] {
        guard Files.isDirectory(directory) else { return [] }
        let ids = try Files.list(directory).filter { $0.hasSuffix(".json") }.compactMap {
            SessionID(String($0.dropLast(5)))
        }
        return ids.compactMap { try? read($0) }.sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    /// The sessions that have a directory and no record: left by a command that was killed between the two.
    package func orphans() throws -> [SessionID] {
        guard Files.isDirectory(directory) else { return [] }
        let names = try Files.list(directory)
        let recorded = Set(names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) })
        return names.compactMap { recorded.contains($0) ? nil : SessionID($0) }.filter {
            Files.isDirectory(directory(of: $0), followingLinks: false)
        }
    }

    /// Whether a session has a record, be it one that cannot be read.
    func hasRecord(_ id: SessionID) -> Bool { Files.exists(file(id)) }

    /// - Throws: ``WorkspaceError`` (`missing`) where there is no such session.
    package func read(_ id: SessionID) throws -> SessionRecord {
        guard let bytes = try Files.readIfPresent(file(id)) else { throw try unknown("\(id)") }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(SessionRecord.self, from: Data(bytes))
        } catch {
            throw WorkspaceError(
                .cannotCreate, "the record \(file(id)) cannot be read", cause: "\(error)",
                hint: "a newer so may have written it")
        }
    }

    /// Replaces the record, so that a reader sees the old one or the new one.
    package func write(_ record: SessionRecord) throws {
        try Files.makeDirectory(directory, mode: 0o700)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try Files.write(Array(try encoder.encode(record)), to: file(record.id), mode: 0o600)
    }

    /// Removes what is left of a session on this host; its pods and volumes must be gone.
    package func remove(_ id: SessionID) throws {
        try Files.remove(directory(of: id))
        try Files.remove(file(id))
        try Files.remove(logFile(id))
        try Files.remove(lockFile(id))
    }

    /// What the agent of a session that is over has written.
    package func logFile(_ id: SessionID) -> String { "\(directory)/\(id).log" }

    private func lockFile(_ id: SessionID) -> String { "\(directory)/\(id).lock" }

    /// One command at a time on one session; the others wait for it.
    package func lock(_ id: SessionID, verb: String) async throws -> DirectoryLock {
        try Files.makeDirectory(directory, mode: 0o700)
        return try await DirectoryLock.acquire(
            path: lockFile(id), holder: "so session \(verb) (pid \(getpid()))"
        ) { _ in }
    }

    /// Whether a command is at work on the session now.
    package func isLocked(_ id: SessionID) -> Bool {
        let descriptor = open(lockFile(id), O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }

    /// Held while ports are chosen, so that two sessions never choose the same.
    package func lockPorts() async throws -> DirectoryLock {
        try Files.makeDirectory(directory, mode: 0o700)
        return try await DirectoryLock.acquire(path: "\(directory)/ports.lock", holder: "so session") { _ in }
    }

    /// The session that a user means: its id, the beginning of one, or nothing where a project has only one.
    package func find(_ text: String?, project: String?) throws -> SessionRecord {
        let all = try all()
        let records = all.filter { $0.state != .closed && $0.state != .pooled }
        guard let text else { return try only(records.filter { project == nil || $0.project == project }) }
        if let id = SessionID(text), let record = try? read(id) { return record }
        let token = text.hasPrefix("s-") ? text : "s-\(text)"
        func begun(_ records: [SessionRecord]) -> [SessionRecord] {
            text.isEmpty ? [] : records.filter { $0.id.description.hasPrefix(token) }
        }
        let open = begun(records)
        let found = open.isEmpty ? begun(all.filter { $0.state == .closed }) : open
        guard found.count == 1, let record = found.first else { throw try unknown(text) }
        return record
    }

    private func only(_ records: [SessionRecord]) throws -> SessionRecord {
        if let record = records.first, records.count == 1 { return record }
        let ids = records.map(\.id.description).joined(separator: ", ")
        throw WorkspaceError(
            .missing, records.isEmpty ? "this project has no session" : "which session? There are \(ids)",
            hint: records.isEmpty ? "so session starts one; so session ls --all lists those of all projects" : nil)
    }

    private func unknown(_ text: String) throws -> WorkspaceError {
        let ids = try all().map(\.id.description)
        let near = nearest(text, in: ids).map { "did you mean \($0)?" }
        return WorkspaceError(.missing, "no session `\(text)`", hint: near ?? "so session ls")
    }
}
