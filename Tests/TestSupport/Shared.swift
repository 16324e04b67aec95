import FoundationEssentials
package import Testing

/// Where things lie that tests read: the package itself, and the real compose files and stacks of `shared/`, which are not part of it.
package enum Shared {
    /// The root of the package, without a slash at its end.
    package static let packageRoot: String = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(3).joined(separator: "/")
    }()

    /// `$SO_SHARED_DIR`, else `../shared` beside the package; nil where there is none.
    package static let directory: String? = {
        let candidate = ProcessInfo.processInfo.environment["SO_SHARED_DIR"] ?? packageRoot + "/../shared"
        return isDirectory(candidate + "/corpus") ? candidate : nil
    }()

    /// Said by tests that are skipped because `directory` is nil.
    package static let absent: Comment = "no shared corpus: neither $SO_SHARED_DIR nor ../shared holds one"

    /// A directory below `shared/`, such as `corpus/stacks`.
    ///
    /// - Throws: `Absent` where there is no `shared/`; guard tests with `.enabled(if: Shared.directory != nil, Shared.absent)`.
    package static func path(_ relative: String) throws -> String {
        guard let directory else { throw Absent() }
        return directory + "/" + relative
    }

    package struct Absent: Error {}

    private static func isDirectory(_ path: String) -> Bool {
        var directory = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &directory) && directory
    }
}
