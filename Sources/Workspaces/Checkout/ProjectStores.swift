import Glibc
import Runtimes

/// Where `so` keeps what sessions of one project share: the base that they begin from, and what came out of them.
package struct ProjectStores: Sendable {
    /// `<state>/workspaces/<project's name>`; mode 0700.
    package let directory: String
    /// The operator's environment.
    let host: [String: String]

    /// - Parameters:
    ///   - state: see `hostStateDirectory(_:)`.
    ///   - projectName: `<folder>-<8 hex>`.
    ///   - host: the operator's environment.
    package init(state: String, projectName: String, host: [String: String]) {
        self.host = host
        directory = "\(state)/workspaces/\(projectName)"
    }

    /// Objects of the project's own history alone; sessions mount it read-only. Its parent's mode keeps others on this host out.
    package var base: String { "\(directory)/base.git" }
    /// What sessions brought back, apart from what they mount.
    package var collected: String { "\(directory)/collected.git" }

    /// Git in one of the stores.
    func git(_ store: String) -> HostGit { .store(store, host: host) }

    func make() throws { try Files.makeDirectory(directory, mode: 0o700) }

    /// One change at a time of one store.
    func lock(_ store: String) async throws -> DirectoryLock {
        try make()
        let lock = try await DirectoryLock.acquire(
            path: "\(store).lock", holder: "so session (pid \(getpid()))"
        ) { _ in }
        try AbandonedLocks(store: store).remove()
        return lock
    }

    /// Removes what a killed command left half made, and renames a finished store into its place.
    func makeStore(_ path: String, _ body: (String) async throws -> Void) async throws {
        let aside = "\(path).new"
        try Files.remove(aside)
        try await body(aside)
        try Files.rename(aside, to: path)
    }
}
