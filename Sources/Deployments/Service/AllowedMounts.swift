import ExternalTools
import KubernetesObjects
import Rendering
import Runtimes
import Specs
import YAML

extension DeploymentModel {
    /// Refuses pods that would see more of this host than they may.
    ///
    /// - Parameters:
    ///   - allowed: what they may mount, with all below; links are followed before it is decided.
    ///   - spec: says what runs them.
    /// - Throws: ``DeploymentError`` (`notPermitted`) with every such path.
    func refuseMounts(besides allowed: [String], of spec: Spec) throws(DeploymentError) {
        let roots = allowed.map(Files.canonical)
        let paths =
            spec.ties.mapsHostPaths
            ? mountedPaths.map { KindPaths.hostPath($0, root: spec.kindMountRoot) } : mountedPaths
        let refused = paths.filter { path in
            let place = Files.canonical(path)
            return !roots.contains { place.isPath(atOrBelow: $0) }
        }
        guard let first = refused.first else { return }
        throw DeploymentError(
            .notPermitted, "this host's \(refused.joined(separator: ", ")) would be mounted, which is not allowed",
            hint: "allow it, for instance: allowed-paths: [\(shellQuoted(first))]")
    }

    /// Every path of this host that a pod mounts, or that a volume stands for.
    private var mountedPaths: [String] {
        var paths = rendered.workloads.compactMap(rendered.podTemplate).flatMap { template in
            (template.spec.volumes ?? []).compactMap(\.hostPath?.path)
        }
        for object in rendered.objects {
            guard case .persistentVolume(let volume) = object, let path = volume.spec.hostPath?.path else { continue }
            paths.append(path)
        }
        return Set(paths).sorted()
    }
}
