import Compose
import YAML

extension Layering {
    /// A relative path of a stack's compose files must not lead out of the stack, by `..` or by a symbolic link. An absolute one
    /// means a place of the host, and says so.
    mutating func confine(_ project: Project, to stack: ResolvedStack) {
        let roots = stack.allRoots + stack.pods.compactMap(\.repositoryDirectory)
        let real = roots.map { tree.realPath($0) ?? $0 }
        for path in project.referencedPaths where !path.written.hasPrefix("/") && !path.written.hasPrefix("~") {
            let target = nearestReal(path.path)
            if real.contains(where: { target == $0 || target.hasPrefix($0 + "/") }) { continue }
            diagnostics.error(
                "the \(path.role.rawValue) \(path.written) leads out of the stack, to \(target)", at: path.mark,
                hint: "put the file into the stack, or write its absolute path")
        }
    }

    /// The path with its existing part resolved: what is mounted may have yet to be made.
    private func nearestReal(_ path: String) -> String {
        var existing = path
        var missing = ""
        while existing != "/" {
            if let real = tree.realPath(existing) { return normalizedPath(real + missing) }
            missing = "/" + lastPathComponent(existing) + missing
            existing = parentDirectory(existing)
        }
        return path
    }
}
