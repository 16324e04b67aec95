import FoundationEssentials

/// Runs `body` with a new, empty directory (mode 0700) that is removed afterwards, whatever happens in `body`.
package func withTemporaryDirectory<Result>(
    _ name: String = "so-test", isolation: isolated (any Actor)? = #isolation, _ body: (String) async throws -> Result
) async throws -> Result {
    let directory = try makeTemporaryDirectory(name)
    defer { removeTree(directory) }
    return try await body(directory)
}

/// A new, empty directory (mode 0700), with no symbolic link in its path. The caller removes it, by `removeTree`.
package func makeTemporaryDirectory(_ name: String = "so-test") throws -> String {
    let base = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    let real = try FileManager.default.resolvedPath(base)
    let directory = "\(real)/\(name)-\(randomToken(10))"
    try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return directory
}

/// Removes a file or a whole directory; one that is absent already is no error.
package func removeTree(_ path: String) {
    try? FileManager.default.removeItem(atPath: path)
}

/// `length` random characters of a-z and 0-9, the first a letter: part of a name that nobody else has.
package func randomToken(_ length: Int = 8) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    let all = letters + Array("0123456789")
    return String((0..<length).map { $0 == 0 ? letters.randomElement() ?? "a" : all.randomElement() ?? "a" })
}

extension FileManager {
    fileprivate func resolvedPath(_ path: String) throws -> String {
        var path = path
        // A link may point to a link; more than a few are a loop.
        for _ in 0..<8 {
            guard let target = try? destinationOfSymbolicLink(atPath: path) else { return path }
            path =
                target.hasPrefix("/") ? target : path.split(separator: "/").dropLast().joined(separator: "/") + target
        }
        return path
    }
}
