import FoundationEssentials
import Glibc
import Runtimes
import Synchronization

/// The records of this user's lasting workspaces, beside the stores of their projects.
package struct LastingStore: Sendable {
    /// See `hostStateDirectory(_:)`.
    package let state: String

    private var root: String { "\(state)/workspaces" }

    /// What belongs to the workspace of one project, its deployment's state among it.
    func directory(_ projectName: String) -> String { "\(root)/\(projectName)/lasting" }

    private func file(_ projectName: String) -> String { "\(directory(projectName))/record.json" }

    /// Every workspace whose record can be read, by name.
    package func all() throws -> [LastingRecord] {
        guard Files.isDirectory(root) else { return [] }
        return try Files.list(root).compactMap { try? read($0) }.sorted { $0.name < $1.name }
    }

    /// The projects that have a directory for their workspace, be there a record in it or not.
    func directories() throws -> [String] {
        guard Files.isDirectory(root) else { return [] }
        return try Files.list(root).filter { Files.isDirectory(directory($0), followingLinks: false) }
    }

    /// Whether a project's workspace has a record, be it one that cannot be read.
    func hasRecord(_ projectName: String) -> Bool { Files.exists(file(projectName)) }

    /// Nil where the project has none.
    package func read(_ projectName: String) throws -> LastingRecord? {
        guard let bytes = try Files.readIfPresent(file(projectName)) else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            return try decoder.decode(LastingRecord.self, from: Data(bytes))
        } catch {
            throw WorkspaceError(
                .cannotCreate, "the record \(file(projectName)) cannot be read", cause: "\(error)",
                hint: "a newer so may have written it")
        }
    }

    func write(_ record: LastingRecord) throws {
        try Files.makeDirectory(directory(record.projectName), mode: 0o700)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try Files.write(Array(try encoder.encode(record)), to: file(record.projectName), mode: 0o600)
    }

    /// The record goes last, so that a removal that is cut short is known.
    func remove(_ projectName: String) throws {
        let directory = directory(projectName)
        guard Files.isDirectory(directory) else { return }
        for name in try Files.list(directory) where name != "record.json" { try Files.remove("\(directory)/\(name)") }
        try Files.remove(directory)
    }

    /// One command at a time brings a workspace up or takes it down; the others wait for it. The lock outlives the workspace.
    func lock(
        _ projectName: String, verb: String, waiting: @Sendable (String) -> Void = { _ in }
    ) async throws -> DirectoryLock {
        try Files.makeDirectory("\(root)/\(projectName)", mode: 0o700)
        return try await DirectoryLock.acquire(
            path: "\(root)/\(projectName)/lasting.lock", holder: "so workspace \(verb) (pid \(getpid()))",
            waiting: waiting)
    }

    func isLocked(_ projectName: String) -> Bool { KernelLock.isHeld("\(root)/\(projectName)/lasting.lock") }

    /// Held by every terminal in the workspace, shared: the kernel lets go of that of a dead process.
    func terminalsFile(_ projectName: String) -> String { "\(root)/\(projectName)/lasting.terminals" }
}

/// Locks of files, of which nothing is left when their process ends.
enum KernelLock {
    /// Whether anybody holds a lock of the file, shared or not.
    static func isHeld(_ path: String) -> Bool {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) != 0
    }
}

/// A terminal that is open in a workspace; it counts until it is closed or its process ends.
package final class OpenTerminal: Sendable {
    private let descriptor: Int32
    private let isOpen = Mutex(true)

    /// - Parameter path: the file that all terminals of the workspace lock.
    init(_ path: String) throws(WorkspaceError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // Nobody holds it alone for longer than a look: this waits for no terminal.
        guard descriptor >= 0, flock(descriptor, LOCK_SH) == 0 else {
            throw WorkspaceError(.cannotCreate, "cannot lock \(path)", cause: String(cString: strerror(errno)))
        }
    }

    /// From now on it does not count.
    package func close() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { Glibc.close(descriptor) }
    }

    deinit { close() }
}
