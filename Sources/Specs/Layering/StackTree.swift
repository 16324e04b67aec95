package import Compose

extension ResolvedStack {
    /// The tree in which the stack's files find each other: what the stack's own root lacks is read from the built-in one, and the
    /// config of a built-in compose file from the stack's own root first.
    package func overlay(_ tree: FileTree) -> FileTree {
        guard let fallbackRoot else { return tree }
        let place = RootOverlay(own: root, fallback: fallbackRoot, tree: tree)
        return FileTree(
            read: { (path) throws(FileTreeError) in try tree.read(place(path)) },
            kind: { tree.kind(place($0)) },
            list: { (path) throws(FileTreeError) in try tree.list(place(path)) },
            mode: { tree.mode(place($0)) },
            realPath: { tree.realPath(place($0)) })
    }
}

private struct RootOverlay: Sendable {
    let own: String
    let fallback: String
    let tree: FileTree

    func callAsFunction(_ path: String) -> String {
        if path.hasPrefix(own + "/") {
            guard tree.kind(path) == .none else { return path }
            let other = fallback + path.dropFirst(own.count)
            return tree.kind(other) == .none ? path : other
        }
        guard path.hasPrefix(fallback + "/config/") else { return path }
        let other = own + path.dropFirst(fallback.count)
        return tree.kind(other) == .none ? path : other
    }
}
