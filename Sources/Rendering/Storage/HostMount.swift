import Compose
import Specs
import YAML

/// A path of the host that a container is given.
struct HostMount: Hashable {
    /// Absolute, links resolved.
    var path: String
    var isWritten: Bool
    /// Whether it belongs to the stack or its deployment, not to the host.
    var isOwn: Bool
    var service: String
    var mark: Mark
}

extension RenderStage {
    func isAllowed(_ path: String) -> Bool {
        spec.allowedPaths.contains { allowed in
            path.isPath(atOrBelow: tree.destination(of: spec.path(allowed.value, homeDirectory: options.homeDirectory)))
        }
    }
}
