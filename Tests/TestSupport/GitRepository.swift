import FoundationEssentials

/// A real git repository in a directory of a test, made and changed with the host's git; the caller's configuration plays no part.
package struct GitRepository: Sendable {
    package let directory: String

    /// One that is there already.
    package init(at directory: String) { self.directory = directory }

    /// Makes an empty repository with the branch `main`.
    package init(_ directory: String) async throws {
        self.directory = directory
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try await git("init", "-q", "-b", "main")
    }

    /// What a git command in the repository prints.
    ///
    /// - Throws: `Podman.Failed` with all it said where it failed.
    @discardableResult
    package func git(_ arguments: String...) async throws -> String {
        try await Self.git(in: directory, arguments)
    }

    @discardableResult
    package static func git(in directory: String, _ arguments: [String]) async throws -> String {
        let settings = ["user.name=Test", "user.email=test@example.com", "protocol.file.allow=always"].flatMap {
            ["-c", $0]
        }
        let finished = try await run(
            "git", ["-C", directory] + settings + arguments, environment: Self.environment)
        guard finished.succeeded else { throw Podman.Failed(finished: finished) }
        return finished.line
    }

    /// Writes files, removes those with nil, and commits all.
    @discardableResult
    package func commit(_ files: [String: String?], _ message: String = "change") async throws -> String {
        for (path, text) in files {
            if let text {
                try write(
                    text, to: "\(directory)/\(path)",
                    mode: path.hasSuffix(".sh") || path.contains("/hooks/") ? 0o755 : 0o644)
            } else {
                removeTree("\(directory)/\(path)")
            }
        }
        try await git("add", "-A")
        try await git("commit", "-q", "-m", message)
        return try await head()
    }

    package func head() async throws -> String { try await git("rev-parse", "HEAD") }

    /// Neither the caller's configuration nor the system's.
    package static var environment: [String: String] {
        ["PATH": Podman.environment["PATH"] ?? "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1"]
    }
}
