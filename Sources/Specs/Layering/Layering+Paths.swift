import Compose
import YAML

extension Layering {
    /// What a stack's compose files name must be the stack's own: no `..`, symbolic link or absolute path carries a file of the
    /// operator into a container. Absolute bind mounts mean a place of the host, and say so.
    mutating func confine(_ project: Project, to stack: ResolvedStack) {
        let boundary = StackBoundary(stack, tree: tree)
        let files = project.referencedPaths.filter { [.include, .extends].contains($0.role) }.map(\.path)
        for path in project.referencedPaths {
            if !boundary.holds(path.path) {
                refuseOutside(path)
            } else if [.bind, .volumeDevice].contains(path.role) {
                refuseUnmountable(path, stack, boundary, besides: files)
            } else if stack.source == .deployment, path.mark.file != spec.file,
                boundary.isKept(path.path, in: stack.root)
            {
                refuseKept(path)
            }
        }
    }

    private mutating func refuseOutside(_ path: ReferencedPath) {
        let isAbsolute = path.isWrittenAbsolute
        if isAbsolute && [.bind, .volumeDevice].contains(path.role) { return }
        // Who writes an absolute path into the spec's overrides means a file of their own.
        if isAbsolute && path.mark.file == spec.file { return }
        let target = tree.destination(of: path.path)
        if spec.allowedPaths.contains(where: { target.isPath(atOrBelow: tree.destination(of: allowedPath($0.value))) })
        {
            return
        }
        diagnostics.error(
            "the \(path.role.rawValue) \(path.written) points outside the stack, to \(target)", at: path.mark,
            hint: "put the file into the stack, or allow the path in spec.yml: allowed-paths: [\(target)]")
    }

    /// Generated secrets, the operator's credentials and the kubeconfig lie in the deployment too: what a compose file names ends in a container.
    private mutating func refuseKept(_ path: ReferencedPath) {
        diagnostics.error(
            "the \(path.role.rawValue) \(path.written) points to \(tree.destination(of: path.path)), which is private to the deployment",
            at: path.mark, hint: "name a file of the stack, for instance one below config/")
    }

    private func allowedPath(_ written: String) -> String {
        spec.path(written, homeDirectory: options.homeDirectory)
    }

    /// A container that sees hooks, settings or the state of its deployment could decide what the next start runs.
    private mutating func refuseUnmountable(
        _ path: ReferencedPath, _ stack: ResolvedStack, _ boundary: StackBoundary, besides files: [String]
    ) {
        // Before there is a deployment, an absolute path of the stack's source is a place of the host like any other.
        if path.isWrittenAbsolute && stack.source != .deployment { return }
        let target = tree.destination(of: path.path)
        let isMountable =
            boundary.mayMount(path.path, besides: files)
            && (stack.source != .deployment || boundary.mayMount(target, besides: files))
        if isMountable { return }
        let led = target == path.path ? "" : ", which points to \(target),"
        diagnostics.error(
            "the \(path.role.rawValue) \(path.written)\(led) is not one of the directories that containers may see",
            at: path.mark,
            hint:
                "put it below config/ (files of the stack) or data/ (files that services write), or beside the compose file"
        )
    }
}

extension ReferencedPath {
    /// Whether its author meant a place of the host.
    package var isWrittenAbsolute: Bool { written.hasPrefix("/") || written.hasPrefix("~") }
}
