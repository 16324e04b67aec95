package import YAML

/// The files that a loader may read: the disk, or a set of files in memory.
///
/// Paths are absolute POSIX paths; `.` and `..` are taken out before a lookup.
package struct FileTree: Sendable {
    /// What stands at a path, symbolic links followed.
    package enum Kind: Hashable, Sendable {
        case file
        case directory
        /// A device, socket or pipe: never read.
        case other
        case none
    }

    private let reading: @Sendable (String) throws(FileTreeError) -> [UInt8]
    private let finding: @Sendable (String) -> Kind
    private let listing: @Sendable (String) throws(FileTreeError) -> [String]
    private let permitting: @Sendable (String) -> UInt16?
    private let resolving: @Sendable (String) -> String?
    private let identifying: @Sendable (String) -> String?
    /// What `~` stands for in a path; nil where nobody's home is known.
    package let homeDirectory: String?

    package init(
        read: @escaping @Sendable (String) throws(FileTreeError) -> [UInt8],
        kind: @escaping @Sendable (String) -> Kind,
        list: @escaping @Sendable (String) throws(FileTreeError) -> [String],
        mode: @escaping @Sendable (String) -> UInt16?,
        realPath: @escaping @Sendable (String) -> String?,
        identity: @escaping @Sendable (String) -> String? = { _ in nil },
        homeDirectory: String? = nil
    ) {
        reading = read
        finding = kind
        listing = list
        permitting = mode
        resolving = realPath
        identifying = identity
        self.homeDirectory = homeDirectory
    }

    /// The bytes of a regular file.
    package func read(_ path: String) throws(FileTreeError) -> [UInt8] { try reading(normalizedPath(path)) }
    package func kind(_ path: String) -> Kind { finding(normalizedPath(path)) }
    /// The names in a directory, sorted, without `.` and `..`.
    package func list(_ path: String) throws(FileTreeError) -> [String] { try listing(normalizedPath(path)) }
    /// Whether a file is there to be read. A device, socket or pipe is meant to be one: reading says what it is.
    package func hasFile(_ path: String) -> Bool { [.file, .other].contains(kind(path)) }
    /// Why it cannot be known whether anything stands at a path: this user may not search a directory above. Nil where it is known.
    package func denial(_ path: String) -> FileTreeError? {
        do {
            _ = try read(path)
            return nil
        } catch {
            return error.code == .notPermitted ? error : nil
        }
    }
    /// The permission bits (`0o644`), or nil if nothing stands there.
    package func mode(_ path: String) -> UInt16? { permitting(normalizedPath(path)) }
    /// The path with every symbolic link resolved, or nil if nothing stands there: what decides whether a path is inside a root.
    package func realPath(_ path: String) -> String? { resolving(normalizedPath(path)) }
    /// What tells the file at a path from another that takes its place, for who holds it open; nil where nothing can tell.
    package func identity(_ path: String) -> String? { identifying(normalizedPath(path)) }
}

/// A file could not be read.
package struct FileTreeError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: Hashable, Sendable {
        case absent
        case notAFile
        case notADirectory
        case notPermitted
        case tooLarge
        /// What was opened lies where it may not be read from: a link, perhaps one that a container has put there meanwhile.
        case leadsElsewhere
        case failed
    }

    package var code: Code
    package var path: String

    package init(_ code: Code, path: String) {
        self.code = code
        self.path = path
    }

    package var description: String {
        switch code {
        case .absent: "\(path) does not exist"
        case .notAFile: "\(path) is not a regular file"
        case .notADirectory: "\(path) is not a directory"
        case .notPermitted: "\(path) may not be read"
        case .tooLarge: "\(path) is larger than \(FileTree.largestFile >> 20) MiB"
        case .leadsElsewhere: "\(path) is a link to a file outside of the deployment"
        case .failed: "\(path) could not be read"
        }
    }
}

extension Diagnostic {
    /// What keeps a file from being read, as an error at the place that names it.
    package init(_ error: FileTreeError, of what: String? = nil, at mark: Mark?) {
        let hint =
            switch error.code {
            case .absent: "create it, or correct the path"
            case .notPermitted: "ask its owner, or run the command as a user who may read it"
            case .notAFile: "put a regular file there, or correct the path"
            case .leadsElsewhere:
                "check who created the link; allowed-paths in spec.yml permits links to paths of the host"
            case .tooLarge: "see what it holds; nothing that is read here is that large"
            case .notADirectory, .failed: "make it a readable file, or correct the path"
            }
        self.init(.error, at: mark, (what.map { "\($0): " } ?? "") + error.description, hint: hint)
        isDenied = error.code == .notPermitted
    }
}

extension FileTree {
    /// The largest file that is read, in bytes.
    package static let largestFile = 64 << 20
}
