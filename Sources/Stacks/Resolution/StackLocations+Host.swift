package import Compose
package import Specs

extension StackLocations {
    /// The locations that a host's environment gives.
    ///
    /// The built-in stacks are in `SO_DATA_DIR`, else beside the executable's prefix (`<prefix>/share/so`), else in the
    /// source checkout that the executable was built in. Clones are in `SO_REPO_BASE_DIR` (or
    /// stack-orchestrator's `CERC_REPO_BASE_DIR`), else `$XDG_DATA_HOME/so/repos`, else `~/.local/share/so/repos`.
    /// - Parameters:
    ///   - environment: the process's environment.
    ///   - executable: the absolute path of the running executable.
    /// - Throws: ``StackError`` (`notFound`) if SO_DATA_DIR names a directory without stacks.
    package init(
        environment: [String: String], executable: String?, workingDirectory: String, tree: FileTree
    ) throws(StackError) {
        self.workingDirectory = normalizedPath(workingDirectory)
        repositoryBase = Self.repositoryBase(environment, workingDirectory)
        builtInRoot = try Self.builtInRoot(environment, executable, workingDirectory, tree)
    }

    private static func repositoryBase(_ environment: [String: String], _ workingDirectory: String) -> String {
        // stack-orchestrator's variable means what it meant to its users.
        for name in ["SO_REPO_BASE_DIR", "CERC_REPO_BASE_DIR"] {
            guard let base = environment[name], !base.isEmpty else { continue }
            if base == "~" || base.hasPrefix("~/"), let home = environment["HOME"] {
                return normalizedPath(home + base.dropFirst())
            }
            return absolutePath(base, in: workingDirectory)
        }
        // The base directory specification has relative values ignored: https://specifications.freedesktop.org/basedir-spec/latest/
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") { return normalizedPath(data + "/so/repos") }
        return normalizedPath((environment["HOME"] ?? "/root") + "/.local/share/so/repos")
    }

    private static func builtInRoot(
        _ environment: [String: String], _ executable: String?, _ workingDirectory: String, _ tree: FileTree
    ) throws(StackError) -> String? {
        if let given = environment["SO_DATA_DIR"], !given.isEmpty {
            let root = absolutePath(given, in: workingDirectory)
            guard tree.kind(root + "/stacks") == .directory else {
                throw StackError(
                    .notFound, "SO_DATA_DIR is \(root), which has no directory 'stacks'", hint: "unset it or correct it"
                )
            }
            return root
        }
        guard let executable else { return nil }
        let path = tree.realPath(executable) ?? normalizedPath(executable)
        let shared = parentDirectory(parentDirectory(path)) + "/share/so"
        if tree.kind(shared + "/stacks") == .directory { return normalizedPath(shared) }
        return checkout(above: path, tree)
    }

    private static func checkout(above path: String, _ tree: FileTree) -> String? {
        var directory = parentDirectory(path)
        while directory != "/" && directory != "." {
            if tree.kind(directory + "/stacks") == .directory, tree.kind(directory + "/Package.swift") == .file {
                return directory
            }
            directory = parentDirectory(directory)
        }
        return nil
    }
}
