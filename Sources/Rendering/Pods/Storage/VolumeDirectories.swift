import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Directories that the spec or `driver_opts` names for volumes.
extension ReportingStage {
    /// The directory of a volume as the nodes see it.
    mutating func directory(_ written: String, key: String, at mark: Mark) -> String {
        if can(.manyNodes), !written.hasPrefix("/") {
            reports.error(
                "the volume \(key) has the relative path \(written), but the path is one of the cluster's nodes",
                at: mark,
                hint: "write an absolute path, or leave it empty for a volume that the cluster provisions")
        }
        let path = hostPath(written, of: "the volume \(key)", at: mark)
        refuseOwnFiles(path, of: "the volume \(key)", at: mark)
        return can(.mappedNode) ? KindPaths.node(path, root: spec.kindMountRoot) : path
    }

    /// A volume must not lead to what a deployment keeps for itself: hooks, settings, storage.secrets.
    private mutating func refuseOwnFiles(_ path: String, of what: String, at mark: Mark) {
        guard let deployment = options.deploymentDirectory.map({ tree.destination(of: $0) }) else { return }
        let target = tree.destination(of: path)
        guard target.isPath(atOrBelow: deployment), !target.isMountable(below: deployment) else { return }
        reports.error(
            "\(what): \(path) is not below data/, config/ or configmaps/, all of a deployment that containers may see",
            at: mark, hint: "write a path such as ./data/\(lastPathComponent(path)), or one outside of the deployment")
    }

    /// A path of the spec as an absolute one: relative ones start from the deployment's directory.
    mutating func hostPath(_ written: String, of what: String, at mark: Mark) -> String {
        let base = options.deploymentDirectory ?? spec.directory
        guard written == "~" || written.hasPrefix("~/") else { return absolutePath(written, in: base) }
        guard let home = options.homeDirectory else {
            reports.error("\(what): \(written) depends on whose home it is", at: mark, hint: "write the path out")
            return absolutePath(written, in: base)
        }
        return normalizedPath(home + written.dropFirst())
    }
}
