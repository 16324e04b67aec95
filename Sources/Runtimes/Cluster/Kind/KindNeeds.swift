import KubernetesObjects
import OrderedCollections
import Rendering
package import Specs

extension KindNeeds {
    /// What a deployment needs of the host's kind cluster.
    ///
    /// - Parameters:
    ///   - homeDirectory: what `~` stands for in the spec's paths.
    ///   - directory: where the deployment stands, absolute; nil: it is in memory.
    package init(_ spec: Spec, _ model: DeploymentModel, homeDirectory: String?, directory: String?) {
        self.init(
            cluster: spec.kindClusterName, nodeImage: spec.kindNodeImage, mounts: spec.kindMounts(homeDirectory),
            umbrella: directory.flatMap(Self.umbrella), publishes: model.publishedTransports,
            locksMemory: model.locksMemory,
            pulled: model.images.filter { image in
                spec.imageRegistry.map { image.hasPrefix($0 + "/") } ?? false
            })
    }

    /// What a new cluster is given besides, for the deployments that will share it: the directory in which this one stands.
    private static func umbrella(_ directory: String) -> KindMount? {
        let parent = Files.parent(of: directory)
        guard parent != "/", !parent.isEmpty else { return nil }
        return KindMount(hostPath: Files.canonical(parent), nodePath: KindPaths.host + parent)
    }
}

extension DeploymentModel {
    /// The transports in which ports of the nodes lead to its services: `tcp`, `udp`, `sctp`.
    fileprivate var publishedTransports: Set<String> {
        Set(
            rendered.objects.flatMap { object -> [String] in
                guard case .service(let service) = object, service.spec.type == "NodePort" else { return [] }
                return (service.spec.ports ?? []).map { $0.protocol.lowercased() }
            })
    }

    /// Whether a pod asks for the runtime handler without a limit on locked memory.
    fileprivate var locksMemory: Bool {
        rendered.objects.contains { object in
            guard case .runtimeClass(let runtimeClass) = object else { return false }
            return runtimeClass.handler == Keys.memlockHandler
        }
    }
}

extension Spec {
    /// The directories that the volumes need on kind's nodes: the mount root as a whole, every other one by itself.
    fileprivate func kindMounts(_ homeDirectory: String?) -> [KindMount] {
        var mounts: [KindMount] = []
        let root = kindMountRoot
        if let root { mounts.append(KindMount(hostPath: root, nodePath: KindPaths.mountRoot)) }
        for volume in volumes.values {
            guard let written = volume.value else { continue }
            let path = path(written, homeDirectory: homeDirectory)
            let place = KindPaths.node(path, root: root)
            if root == nil || place == KindPaths.host + path {
                mounts.append(KindMount(hostPath: Files.canonical(path), nodePath: place))
            }
        }
        return mounts
    }
}
