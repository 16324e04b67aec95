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
    ///   - ingress: the manifest of the ingress controller; nil: no routes are wanted.
    package static func kind(
        name: String?, mounts: [KindMount], ingress: IngressController?, environment: [String: String],
        stateDirectory: String
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
                    try await host.refuseMissing(mounts, in: cluster)
                } else {
                    events(Event(nil, .waiting(for: "the kind cluster \(name ?? "so") to be made")))
                    try await host.create(name ?? "so", mounts: mounts)
                }
            },
            prepare: { (model, events) async throws(DeploymentError) in
                let host = try await host()
                guard let cluster = try await host.cluster(named: name) else { return }
                try await KindImages(host: host, cluster: cluster, events: events).provide(model.images)
                if let ingress { try await ingress.install(in: try await host.access(to: cluster), events: events) }
            })
        runtime.nodePorts = KindConfig.nodePorts
        return runtime
    }
}

extension KindHost {
    /// Says what the cluster was not made with, before anything is changed.
    func refuseMissing(_ mounts: [KindMount], in cluster: String) async throws(DeploymentError) {
        for node in try await nodes(of: cluster) {
            guard node.isRunning else {
                throw DeploymentError(
                    .unavailable, "the node \(node.name) of the kind cluster \(cluster) is stopped",
                    mend: "\(kind.provider.program) start \(node.name)")
            }
            let missing = KindConfig.missing(mounts, in: node)
            guard missing.isEmpty else {
                throw DeploymentError(
                    .unsupported, "the kind cluster \(cluster) was made without what this deployment needs",
                    cause: missing.joined(separator: "; "),
                    mend:
                        "put the volumes below its `kind-mount-root`, leave their paths empty for volumes that the cluster "
                        + "provisions, or make the cluster anew: so cluster destroy --yes")
            }
        }
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
