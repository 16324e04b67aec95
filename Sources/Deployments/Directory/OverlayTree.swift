package import Compose
import Runtimes

extension FileTree {
    /// The tree with some paths answered by other files, and some not shown.
    ///
    /// - Parameters:
    ///   - files: where the content of a path comes from while nothing stands at the path itself; absolute.
    ///   - hidden: absolute paths that listings leave out.
    package func redirecting(_ files: [String: String], hiding hidden: Set<String> = []) -> FileTree {
        let base = self
        @Sendable func target(_ path: String) -> String {
            guard let other = files[path], base.kind(path) == .none else { return path }
            return other
        }
        return FileTree(
            read: { path throws(FileTreeError) in try base.read(target(path)) },
            kind: { base.kind(target($0)) },
            list: { path throws(FileTreeError) in
                try base.list(path).filter { !hidden.contains("\(path)/\($0)") }
            },
            mode: { base.mode(target($0)) },
            realPath: { base.realPath(target($0)) },
            identity: { base.identity(target($0)) })
    }

    /// The tree as it will be once the contents stand below the directory.
    func creating(_ contents: DirectoryContents, in directory: String) -> FileTree {
        let base = self
        let planned = PlannedTree(contents, directory: directory)
        return FileTree(
            read: { path throws(FileTreeError) in
                switch planned.files[path] {
                case .bytes(let bytes): return bytes
                case .copy(let source): return try base.read(source)
                case nil: return try base.read(path)
                }
            },
            kind: { path in
                if planned.files[path] != nil { return .file }
                return planned.children[path] != nil ? .directory : base.kind(path)
            },
            list: { path throws(FileTreeError) in
                guard let children = planned.children[path] else { return try base.list(path) }
                let present = base.kind(path) == .directory ? try base.list(path) : []
                return children.union(present).sorted()
            },
            mode: { path in
                switch planned.files[path] {
                case .bytes: return 0o644
                case .copy(let source): return base.mode(source)
                case nil: return planned.children[path] != nil ? 0o755 : base.mode(path)
                }
            },
            realPath: { planned.files[$0] != nil || planned.children[$0] != nil ? $0 : base.realPath($0) },
            identity: { planned.files[$0] != nil ? nil : base.identity($0) })
    }
}

/// The files of a directory that is not made yet, by absolute path, and what each directory holds.
private struct PlannedTree: Sendable {
    var files: [String: DeploymentFile.Content] = [:]
    var children: [String: Set<String>] = [:]

    init(_ contents: DirectoryContents, directory: String) {
        for file in contents.files + contents.seeds {
            files["\(directory)/\(file.path)"] = file.content
            enter("\(directory)/\(file.path)", below: directory)
        }
        for path in contents.directories {
            children["\(directory)/\(path)", default: []] = []
            enter("\(directory)/\(path)", below: directory)
        }
    }

    private mutating func enter(_ path: String, below root: String) {
        var child = path
        while child != root, child.count > root.count {
            let parent = Files.parent(of: child)
            children[parent, default: []].insert(String(child.dropFirst(parent.count + 1)))
            child = parent
        }
    }
}
