package import Compose

/// Where the files of a stack lie: the one answer to which paths are the stack's, and which of them containers may see.
package struct StackBoundary {
    /// The directories of a stack, and of its deployment, that containers may see.
    package static let mountable = ["data", "config", "configmaps"]

    private let tree: FileTree
    private let roots: [String]
    private let composeFiles: [String]

    package init(_ stack: ResolvedStack, tree: FileTree) {
        self.tree = tree
        let written = stack.allRoots + [stack.directory] + stack.pods.compactMap(\.repositoryDirectory)
        roots = (written + written.map { tree.destination(of: $0) }).filter { $0 != "/" }
        let files = stack.pods.compactMap(\.composeFile) + stack.jobs.compactMap(\.composeFile)
        composeFiles = files + files.map { tree.destination(of: $0) }
    }

    /// Whether a path leads to something of the stack, links resolved.
    package func holds(_ path: String) -> Bool {
        let target = tree.destination(of: path)
        return roots.contains { target.isPath(atOrBelow: $0) }
    }

    /// Whether a container may be given a path of the stack: one of the directories for that, or what lies beside a compose file.
    ///
    /// - Parameter files: further files that decide what is run, which no container may write.
    package func mayMount(_ path: String, besides files: [String] = []) -> Bool {
        let folders = composeFiles.map(parentDirectory)
        let bases =
            roots + folders.map(parentDirectory).filter { base in roots.contains { base.isPath(atOrBelow: $0) } }
        if bases.contains(where: { path.isMountable(below: $0) }) { return true }
        if isBesideIncluded(path, files) { return true }
        return folders.contains { path.hasPrefix($0 + "/") }
            && !(composeFiles + files).contains { $0.isPath(atOrBelow: path) }
    }

    /// What lies beside an included compose file, as in a repository whose own compose file a stack includes, but nothing of what a
    /// deployment keeps for itself under these names.
    private func isBesideIncluded(_ path: String, _ files: [String]) -> Bool {
        let folders = files.map(parentDirectory).filter { folder in roots.contains { folder.isPath(atOrBelow: $0) } }
        guard folders.contains(where: { path.hasPrefix($0 + "/") }),
            !(composeFiles + files).contains(where: { $0.isPath(atOrBelow: path) })
        else { return false }
        return roots.filter { path.hasPrefix($0 + "/") }.allSatisfy { root in
            let first = path.dropFirst(root.count + 1).prefix { $0 != "/" }
            return !first.hasPrefix(".") && !Self.own.contains { first == $0 || first.hasPrefix($0 + ".bak") }
        }
    }

    /// What stands at the top of a deployment besides what containers may see.
    private static let own = kept + ["stacks", "pods", "compose", "compose-jobs", "container-build"]

    /// What a deployment keeps at its top for itself: no compose file brings or reads it.
    private static let kept = [
        ".state", "hooks", "stack-hooks", "chart", "spec.yml", "stack.yml", "config.env", "deployment.yml",
        "kubeconfig.yml", "kind-config.yml", "project.yml",
    ]

    /// Whether a path, relative to a deployment's directory, is one of those that the deployment keeps for itself.
    package static func isKept(_ relative: String) -> Bool {
        let first = relative.prefix { $0 != "/" }
        return kept.contains { first == $0 || first.hasPrefix($0 + ".bak") }
    }

    /// Whether a path, or what it leads to by links, is one of those that the deployment in a directory keeps for itself.
    package func isKept(_ path: String, in directory: String) -> Bool {
        let bases = [directory, tree.destination(of: directory)]
        return [normalizedPath(path), tree.destination(of: path)].contains { place in
            bases.contains { place.hasPrefix($0 + "/") && Self.isKept(String(place.dropFirst($0.count + 1))) }
        }
    }
}

extension FileTree {
    /// Where a path leads: its existing part without links, for what is mounted may have yet to be made.
    package func destination(of path: String) -> String {
        var existing = path
        var missing = ""
        while existing != "/" {
            if let real = realPath(existing) { return normalizedPath(real + missing) }
            missing = "/" + lastPathComponent(existing) + missing
            existing = parentDirectory(existing)
        }
        return path
    }
}

extension String {
    /// Whether the path is a directory or lies in it; both absolute.
    package func isPath(atOrBelow directory: String) -> Bool {
        directory == "/" || self == directory || hasPrefix(directory + "/")
    }

    /// Whether the path lies in one of the directories of a deployment that containers may see.
    package func isMountable(below deployment: String) -> Bool {
        StackBoundary.mountable.contains { isPath(atOrBelow: "\(deployment)/\($0)") }
    }
}
