package import ExternalTools
import YAML

/// A directory of the host, and where the node sees it.
package struct KindMount: Hashable, Sendable {
    package var hostPath: String
    package var nodePath: String
    /// Whether the node sees what is mounted below it on the host later.
    package var followsMounts = false

    package init(hostPath: String, nodePath: String) {
        self.hostPath = hostPath
        self.nodePath = nodePath
    }

    /// An umbrella and the mounts that it does not cover.
    static func joined(_ umbrella: KindMount?, _ mounts: [KindMount]) -> [KindMount] {
        guard let umbrella else { return mounts }
        let made = KindNode.Mount(source: umbrella.hostPath, destination: umbrella.nodePath)
        return [umbrella] + mounts.filter { !KindConfig.covers(made, $0) }
    }
}

/// What the shared cluster is made with (https://kind.sigs.k8s.io/docs/user/configuration/).
package struct KindConfig: Hashable, Sendable {
    /// The node ports that deployments share, by transport. Each costs the engine a process.
    package static let nodePorts = ["tcp": 30_000...30_063, "udp": 30_048...30_063]
    /// The ports of http and https.
    static let routes = [80, 443]
    /// Where the ingress controller keeps its certificates on the node.
    package static let certificates = "/var/lib/so-ingress"

    package var mounts: [KindMount]
    /// The node's image; nil: the one that kind was made for.
    package var image: String?

    package init(mounts: [KindMount], image: String? = nil) {
        self.mounts = mounts
        self.image = image
    }

    package var yaml: String {
        let routes = Self.routes.map { mapping($0, "tcp", address: "0.0.0.0") }
        let pool = Self.nodePorts.sorted { $0.key < $1.key }.flatMap { transport, ports in
            ports.map { mapping($0, transport, address: "127.0.0.1") }
        }
        let extraMounts = mounts.map { mount in
            Node.map(
                [("hostPath", .string(mount.hostPath)), ("containerPath", .string(mount.nodePath))]
                    + (mount.followsMounts ? [("propagation", .string("HostToContainer"))] : []))
        }
        let patch = """
            kind: InitConfiguration
            nodeRegistration:
              kubeletExtraArgs:
                node-labels: "ingress-ready=true"

            """
        let node = Node.map(
            [("role", .string("control-plane"))] + (image.map { [("image", .string($0))] } ?? []) + [
                ("kubeadmConfigPatches", .list([.string(patch)])), ("extraPortMappings", .list(routes + pool)),
                ("extraMounts", .list(extraMounts)),
            ])
        let registries = """
            [plugins."io.containerd.grpc.v1.cri".registry]
              config_path = "/etc/containerd/certs.d"

            """ + MemlockHandler.patch
        return Node.map([
            ("kind", .string("Cluster")), ("apiVersion", .string("kind.x-k8s.io/v1alpha4")),
            ("containerdConfigPatches", .list([.string(registries)])), ("nodes", .list([node])),
        ]).yaml()
    }

    private func mapping(_ port: Int, _ transport: String, address: String) -> Node {
        .map([
            ("containerPort", .plain("\(port)")), ("hostPort", .plain("\(port)")), ("listenAddress", .string(address)),
            ("protocol", .string(transport.uppercased())),
        ])
    }

    /// What a node lacks of what is wanted, in words.
    package static func missing(_ wanted: [KindMount], in node: KindNode) -> [String] {
        wanted.filter { mount in
            !node.mounts.contains { covers($0, mount) }
        }.map { "\($0.hostPath) is not mounted at \($0.nodePath)" }
    }

    /// A mount of a directory above serves as well where it leads to the same place.
    fileprivate static func covers(_ mount: KindNode.Mount, _ wanted: KindMount) -> Bool {
        if mount.source == wanted.hostPath, mount.destination == wanted.nodePath { return true }
        guard wanted.hostPath.hasPrefix(mount.source + "/"), wanted.nodePath.hasPrefix(mount.destination + "/") else {
            return false
        }
        return wanted.hostPath.dropFirst(mount.source.utf8.count)
            == wanted.nodePath.dropFirst(mount.destination.utf8.count)
    }
}
