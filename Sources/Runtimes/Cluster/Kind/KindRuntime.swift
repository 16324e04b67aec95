import ExternalTools
import FoundationEssentials
import KubernetesClient
import KubernetesObjects
import Rendering

/// What a deployment needs of the cluster that it shares with others.
package struct KindNeeds: Sendable {
    /// The cluster that the spec names.
    package var cluster: String?
    /// The image of the node of a cluster that is made for it; nil: kind's own.
    package var nodeImage: String?
    /// The directories that its volumes need on the node.
    package var mounts: [KindMount]
    /// What a new cluster is given besides, for the deployments that will share it.
    package var umbrella: KindMount?
    /// The transports in which it publishes ports: `tcp`, `udp`, `sctp`.
    package var publishes: Set<String>
    /// Whether its pods need the runtime handler without a limit on locked memory.
    package var locksMemory: Bool
    /// Images that the nodes pull from a registry, though this host may have them too.
    package var pulled: Set<String> = []

    /// For questions about a cluster that is there.
    package static let nothing = KindNeeds(mounts: [], publishes: [], locksMemory: false)

    /// Where the nodes have `kind-mount-root`, if it is used.
    fileprivate var mountRoot: String? { mounts.first { $0.nodePath == KindPaths.mountRoot }?.hostPath }
}

extension ClusterRuntime {
    /// The runtime of `k8s-kind`: the cluster of this host, made where there is none, with the deployment's images on its nodes.
    ///
    /// - Parameter ingress: the manifest of the ingress controller; nil: no routes are wanted.
    package static func kind(
        _ needs: KindNeeds, ingress: IngressController?, environment: [String: String], stateDirectory: String
    ) -> ClusterRuntime {
        let steps = KindSteps(
            needs: needs, ingress: ingress,
            search: HostSearch(environment: environment, stateDirectory: stateDirectory))
        var runtime = ClusterRuntime(
            find: { () async throws(DeploymentError) in try await steps.find() },
            begin: { (events) async throws(DeploymentError) in try await steps.begin(events) },
            prepare: { (model, events) async throws(DeploymentError) in try await steps.prepare(model, events) })
        runtime.check = { () async throws(DeploymentError) in try await steps.check() }
        runtime.nodePorts = KindConfig.nodePorts
        if ingress != nil { runtime.entrance = Entrance(host: "127.0.0.1") }
        runtime.bootTimes = { await steps.search.bootTimes(named: needs.cluster) }
        runtime.imageIDs = { images in await steps.imageIDs(images) }
        runtime.deleteDirectory = { path async throws(DeploymentError) in try await steps.delete(path) }
        return runtime
    }
}

/// What an operation on a cluster of kind does besides those of every cluster.
private struct KindSteps: Sendable {
    let needs: KindNeeds
    let ingress: IngressController?
    let search: HostSearch

    private var name: String? { needs.cluster }

    func find() async throws(DeploymentError) -> ClusterAccess {
        let host = try await search.host()
        guard let cluster = try await host.cluster(named: name) else {
            throw DeploymentError(
                .unavailable, "this host has no kind cluster" + (name.map { " named \($0)" } ?? ""),
                hint: "so cluster create, or so deployment start, which makes it")
        }
        return try await host.access(to: cluster)
    }

    /// Makes the cluster where there is none; one that is there must have what the deployment needs.
    func begin(_ events: @escaping EventHandler) async throws(DeploymentError) {
        let host = try await search.host()
        let note: @Sendable (String) -> Void = { events(Event(nil, .waiting(for: $0))) }
        let cluster = try await host.ensure(
            named: name, mounts: KindMount.joined(needs.umbrella, needs.mounts), image: needs.nodeImage, note: note)
        if cluster.isNew { return }
        try await host.refuseMissing(needs, routes: ingress != nil, in: cluster.name)
        for mount in needs.mounts { try Files.makeDirectory(mount.hostPath, isExact: true) }
        try await host.awaitReady(cluster.name, note: note)
    }

    /// Puts images of this host onto the nodes, and the ingress controller into the cluster.
    func prepare(_ model: DeploymentModel, _ events: @escaping EventHandler) async throws(DeploymentError) {
        let host = try await search.host()
        guard let cluster = try await host.cluster(named: name) else { return }
        let images = model.images.subtracting(needs.pulled).union(ingress?.images ?? [])
        try await KindImages(host: host, cluster: cluster, events: events).provide(images)
        guard let ingress else { return }
        let boots = await search.bootTimes(named: name)
        try await ingress.install(in: try await host.access(to: cluster), since: boots, events: events)
    }

    /// - Returns: the name of the cluster that a start would make; nil: it is there.
    func check() async throws(DeploymentError) -> String? {
        let host = try await search.host()
        guard let cluster = try await host.cluster(named: name) else { return name ?? KindHost.defaultName }
        try await host.refuseMissing(needs, routes: ingress != nil, in: cluster)
        return nil
    }

    func imageIDs(_ images: Set<String>) async -> [String: String] {
        guard let host = try? await search.host() else { return [:] }
        let found = await LocalImage.find(images.subtracting(needs.pulled), by: host.kind)
        return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.id) })
    }

    func delete(_ path: String) async throws(DeploymentError) {
        let host = try await search.host()
        guard let cluster = try await host.cluster(named: name) else { return }
        try await host.delete(path, seenAt: KindPaths.node(path, root: needs.mountRoot), in: cluster)
    }
}

/// Finds the engine once: every stage of an operation asks for it.
private actor HostSearch {
    private let environment: [String: String]
    private let stateDirectory: String
    private var found: KindHost?
    private var boots: [String: Date]?

    init(environment: [String: String], stateDirectory: String) {
        self.environment = environment
        self.stateDirectory = stateDirectory
    }

    func host() async throws(DeploymentError) -> KindHost {
        if let found { return found }
        let host = try await KindHost.find(environment: environment, stateDirectory: stateDirectory)
        found = host
        return host
    }

    func bootTimes(named name: String?) async -> [String: Date] {
        if let boots { return boots }
        guard let host = try? await host(), let cluster = try? await host.cluster(named: name) else { return [:] }
        let boots = await host.bootTimes(of: cluster)
        self.boots = boots
        return boots
    }
}

extension KindHost {
    /// Deletes what is in a directory of this host, through a node where files in it belong to users of containers.
    ///
    /// The directory itself stays: a node that has it mounted would go on with the one that is gone, and lose what is written there.
    fileprivate func delete(_ path: String, seenAt place: String, in cluster: String) async throws(DeploymentError) {
        guard Files.isDirectory(path) else { return try Files.remove(path) }
        do {
            for name in try Files.list(path) { try Files.remove("\(path)/\(name)") }
        } catch {
            guard let node = try await nodes(of: cluster).first(where: \.isRunning) else { throw error }
            try await run(kind.empty(place, on: node.name))
        }
    }
}

extension KindHost {
    /// Says what the cluster was not made with, before anything is changed.
    func refuseMissing(_ needs: KindNeeds, routes: Bool, in cluster: String) async throws(DeploymentError) {
        let nodes = try await nodes(of: cluster)
        try refuseMissing(needs, on: nodes, in: cluster)
        if routes { try refuseMissingRoutes(on: nodes, in: cluster) }
        for transport in needs.publishes.sorted() { try refuseMissingPorts(transport, on: nodes, in: cluster) }
    }

    private func refuseMissing(
        _ needs: KindNeeds, on nodes: [KindNode], in cluster: String
    ) throws(DeploymentError) {
        for node in nodes {
            guard node.isRunning else { throw isStopped(node, in: cluster) }
            if needs.locksMemory, !node.has(MemlockHandler.nodePath) {
                throw madeWithout(
                    "the node \(node.name) has no runtime handler \(Keys.memlockHandler)", cluster,
                    "set `security.runtime-class` to one that the cluster has")
            }
            let gone = needs.mounts.filter { mount in
                !Files.exists(mount.hostPath) && node.mounts.contains { $0.source == mount.hostPath }
            }
            guard gone.isEmpty else {
                throw DeploymentError(
                    .unavailable, "the node \(node.name) has \(gone[0].hostPath) mounted, which is gone from this host",
                    hint: "make it again, and the cluster with it: so cluster destroy --yes")
            }
            let missing = KindConfig.missing(needs.mounts, in: node)
            guard missing.isEmpty else {
                throw madeWithout(
                    missing.joined(separator: "; "), cluster,
                    "put the volumes below a directory that it has (`so cluster status`), leave their paths empty for volumes that the cluster provisions"
                )
            }
        }
    }

    private func refuseMissingRoutes(on nodes: [KindNode], in cluster: String) throws(DeploymentError) {
        let missing = unmapped(KindConfig.routes, "tcp", on: nodes)
        guard !missing.isEmpty else { return }
        throw madeWithout(
            "no port of this host is mapped to \(missing.map(String.init).joined(separator: " and ")) of its nodes, where routes are served",
            cluster, "leave out `network.http-proxy`")
    }

    private func refuseMissingPorts(
        _ transport: String, on nodes: [KindNode], in cluster: String
    ) throws(DeploymentError) {
        let missing = unmapped(KindConfig.nodePorts[transport].map(Array.init) ?? [], transport, on: nodes)
        guard let first = missing.first, let last = missing.last else { return }
        throw madeWithout(
            "no \(transport) port of this host is mapped to \(first == last ? "\(first)" : "\(first)-\(last)") of its nodes, where ports are published",
            cluster, "publish no such ports (`network.ports: {<service>: []}`)")
    }

    /// Those that lead to no node by the same number, which is what `port` and the URLs of routes tell. Any node passes a node port on.
    private func unmapped(_ ports: [Int], _ transport: String, on nodes: [KindNode]) -> [Int] {
        ports.filter { port in !nodes.contains { $0.ports["\(port)/\(transport)"] == port } }
    }

    private func madeWithout(_ what: String, _ cluster: String, _ hint: String) -> DeploymentError {
        DeploymentError(
            .unsupported, "the kind cluster \(cluster) was made without what this deployment needs", cause: what,
            hint: "\(hint), or recreate the cluster: so cluster destroy --yes")
    }
}

extension DeploymentModel {
    /// Every image that its pods run.
    var images: Set<String> {
        Set(
            rendered.workloads.compactMap { rendered.podTemplate(of: $0)?.spec }.flatMap(\.images))
    }
}

extension PodSpec {
    /// What its containers run, those before the others too.
    var images: Set<String> { Set(((initContainers ?? []) + containers).compactMap(\.image)) }
}
