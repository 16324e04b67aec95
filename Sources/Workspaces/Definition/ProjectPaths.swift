import Compose

/// Whether a path lies in the project, links followed as far as it exists.
func isInside(_ path: String, _ project: Project, _ tree: FileTree) -> Bool {
    var existing = normalizedPath(path)
    while tree.kind(existing) == .none, existing != "/" { existing = parentDirectory(existing) }
    let real = tree.realPath(existing) ?? existing
    let lies = { (path: String) in path == project.path || path.hasPrefix(project.path + "/") }
    return lies(real) && lies(normalizedPath(path))
}

/// The path below the project; empty for the project itself.
func relative(_ path: String, to project: Project) -> String {
    let path = normalizedPath(path)
    return path == project.path ? "" : String(path.dropFirst(project.path.utf8.count + 1))
}
