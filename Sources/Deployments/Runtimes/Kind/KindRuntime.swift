import ExternalTools
import KubernetesClient
import KubernetesObjects
import Rendering

extension ClusterRuntime {
    /// The runtime of `k8s-kind`: the cluster of this host, made where there is none, with the deployment's images on its nodes.
    ///
    /// - Parameters:
    ///   - name: the cluster that the spec names.
    ///   - mounts: the directories that the deployment's volumes need on the node.
    ///   - publishes: whether it publishes ports.
    ///   - locksMemory: whether its pods need the runtime handler without a limit on locked memory.
    ///   - ingress: the manifest of the ingress controller; nil: no routes are wanted.
    package static func kind(
        name: String?, mounts: [KindMount], publishes: Bool, locksMemory: Bool, ingress: IngressController?,
        environment: [String: String], stateDirectory: String
    ) -> ClusterRuntime {
        @Sendable func host() async throws(DeploymentError) -> KindHost {
            try await KindHost.find(environment: environment, stateDirectory: stateDirectory)
        }
        var runtime = ClusterRuntime(
            find: { () async throws(DeploymentError) in
                let host = try await host()
                guard let cluster = try await host.cluster(named: name) else {
                    throw DeploymentError(
                        .unavailable, "this host has no kind cluster" + (name.map { " named \($0)" } ?? ""),
                        mend: "so cluster create, or so deployment start, which makes it")
                }
                return try await host.access(to: cluster)
            },
            begin: { (events) async throws(DeploymentError) in
                let host = try await host()
                if let cluster = try await host.cluster(named: name) {
                    let ports =
                        (publishes ? Array(KindConfig.nodePorts) : []) + (ingress == nil ? [] : KindConfig.routes)
                    try await host.refuseMissing(mounts, ports: ports, locksMemory: locksMemory, in: cluster)
                } else {
                    events(Event(nil, .waiting(for: "the kind cluster \(name ?? "so") to be made")))
                    try await host.create(name ?? "so", mounts: mounts)
                }
            },
            prepare: { (model, events) async throws(DeploymentError) in
                let host = try await host()
                guard let cluster = try await host.cluster(named: name) else { return }
                let images = model.images.union(ingress?.images ?? [])
                try await KindImages(host: host, cluster: cluster, events: events).provide(images)
                if let ingress { try await ingress.install(in: try await host.access(to: cluster), events: events) }
            })
        runtime.nodePorts = KindConfig.nodePorts
        return runtime
    }
}

extension KindHost {
    /// Says what the cluster was not made with, before anything is changed.
    func refuseMissing(
        _ mounts: [KindMount], ports: [Int], locksMemory: Bool, in cluster: String
    ) async throws(DeploymentError) {
        var mapped: Set<Int> = []
        for node in try await nodes(of: cluster) {
            guard node.isRunning else {
                throw DeploymentError(
                    .unavailable, "the node \(node.name) of the kind cluster \(cluster) is stopped",
                    mend: "\(kind.provider.program) start \(node.name)")
            }
            mapped.formUnion(node.ports.keys)
            if locksMemory, !node.mounts.contains(where: { $0.destination == MemlockHandler.nodePath }) {
                throw madeWithout(
                    "the node \(node.name) has no runtime handler \(Keys.memlockHandler)", cluster,
                    "set `security.runtime-class` to one that the cluster has")
            }
            let missing = KindConfig.missing(mounts, in: node)
            guard missing.isEmpty else {
                throw madeWithout(
                    missing.joined(separator: "; "), cluster,
                    "put the volumes below its `kind-mount-root`, leave their paths empty for volumes that the cluster provisions"
                )
            }
        }
        // Any node passes a node port on.
        let missing = ports.filter { !mapped.contains($0) }
        guard !missing.isEmpty else { return }
        let routes = missing.filter(KindConfig.routes.contains)
        if !routes.isEmpty {
            throw madeWithout(
                "no port of this host leads to \(routes.map(String.init).joined(separator: " and ")) of its nodes, where routes are served",
                cluster, "leave out `network.http-proxy`")
        }
        throw madeWithout(
            "no port of this host leads to \(missing[0])"
                + (missing.count > 1 ? "-\(missing[missing.count - 1])" : "")
                + " of its nodes, where ports are published",
            cluster, "publish no ports (`network.ports: {<service>: []}`)")
    }

    private func madeWithout(_ what: String, _ cluster: String, _ mend: String) -> DeploymentError {
        DeploymentError(
            .unsupported, "the kind cluster \(cluster) was made without what this deployment needs", cause: what,
            mend: "\(mend), or make the cluster anew: so cluster destroy --yes")
    }
}

extension DeploymentModel {
    /// Every image that its pods run.
    var images: Set<String> {
        Set(
            rendered.workloads.compactMap { rendered.podTemplate(of: $0)?.spec }.flatMap {
                (($0.initContainers ?? []) + $0.containers).compactMap(\.image)
            })
    }
}
