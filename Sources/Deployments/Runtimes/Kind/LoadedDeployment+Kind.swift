import KubernetesObjects
import OrderedCollections
import Rendering
import Stacks

extension LoadedDeployment {
    /// What it needs of the host's kind cluster.
    package var kindNeeds: KindNeeds {
        KindNeeds(
            cluster: spec.kindClusterName, nodeImage: spec.kindNodeImage, mounts: kindMounts, umbrella: kindUmbrella,
            publishes: publishedTransports,
            locksMemory: locksMemory,
            pulled: model.images.filter { image in
                spec.imageRegistry.map { image.hasPrefix($0 + "/") } ?? false
            })
    }

    /// The transports in which ports of the nodes lead to its services: `tcp`, `udp`, `sctp`.
    private var publishedTransports: Set<String> {
        Set(
            model.rendered.objects.flatMap { object -> [String] in
                guard case .service(let service) = object, service.spec.type == "NodePort" else { return [] }
                return (service.spec.ports ?? []).map { $0.protocol.lowercased() }
            })
    }

    /// Whether a pod asks for the runtime handler without a limit on locked memory.
    private var locksMemory: Bool {
        model.rendered.objects.contains { object in
            guard case .runtimeClass(let runtimeClass) = object else { return false }
            return runtimeClass.handler == Keys.memlockHandler
        }
    }

    /// The directories that the volumes need on kind's nodes: the mount root as a whole, every other one by itself.
    private var kindMounts: [KindMount] {
        var mounts: [KindMount] = []
        let root = spec.kindMountRoot
        if let root { mounts.append(KindMount(hostPath: root, nodePath: KindPaths.mountRoot)) }
        for volume in spec.volumes.values {
            guard let written = volume.value else { continue }
            let path = spec.path(written, homeDirectory: homeDirectory)
            let place = KindPaths.node(path, root: root)
            if root == nil || place == KindPaths.host + path {
                mounts.append(KindMount(hostPath: Files.canonical(path), nodePath: place))
            }
        }
        return mounts
    }

    /// What a new cluster is given besides, for the deployments that will share it: the directory in which this one stands.
    private var kindUmbrella: KindMount? {
        let parent = Files.parent(of: directory.root)
        guard parent != "/", !parent.isEmpty else { return nil }
        return KindMount(hostPath: Files.canonical(parent), nodePath: KindPaths.host + parent)
    }
}
