package import ExternalTools
import FoundationEssentials
package import KubernetesClient
import Rendering

/// The one kind cluster of this host.
package struct KindHost: Sendable {
    /// What a cluster is called that nobody gives a name.
    static let defaultName = "so"
    package let kind: Kind
    /// A directory of `so`'s own, for the way in and the ingress controller's certificates.
    package let stateDirectory: String

    /// Finds the engine: the one that `KIND_EXPERIMENTAL_PROVIDER` names, else the first that answers.
    ///
    /// - Throws: `unavailable` where kind or an engine is missing.
    package static func find(
        environment: [String: String], stateDirectory: String
    ) async throws(DeploymentError) -> KindHost {
        if let name = environment["KIND_EXPERIMENTAL_PROVIDER"], !name.isEmpty {
            guard let provider = Kind.Provider(rawValue: name) else {
                throw DeploymentError(
                    .unavailable, "KIND_EXPERIMENTAL_PROVIDER is `\(name)`",
                    hint: "kind knows docker, podman and nerdctl")
            }
            return KindHost(kind: Kind(provider: provider, host: environment), stateDirectory: stateDirectory)
        }
        for provider in Kind.Provider.allCases {
            let kind = Kind(provider: provider, host: environment)
            if let output = try? await kind.engineVersion.result(), output.status == 0 {
                return KindHost(kind: kind, stateDirectory: stateDirectory)
            }
        }
        throw DeploymentError(
            .unavailable, "no container engine answers: neither docker nor podman nor nerdctl",
            hint: "install one and start it: \(installationHint("docker"))")
    }

    /// The engine that kind's nodes would run in; nil where kind is missing or no engine answers.
    package static func provider(environment: [String: String]) async -> Kind.Provider? {
        guard let output = try? await Kind(provider: .docker, host: environment).version.result(), output.status == 0,
            let host = try? await find(environment: environment, stateDirectory: ""),
            (try? await host.clusters()) != nil
        else { return nil }
        return host.kind.provider
    }

    private var memlockFile: String { "\(stateDirectory)/\(Keys.memlockHandler).json" }
    var kubeconfigFile: String { "\(stateDirectory)/kubeconfig.yml" }
    package var certificateDirectory: String { "\(stateDirectory)/certificates" }

    /// The names of the clusters that there are.
    package func clusters() async throws(DeploymentError) -> [String] {
        let output = try await run(kind.clusters)
        // With none, kind says so on standard error.
        return output.text.split(separator: "\n").map(String.init).filter { !$0.isEmpty }
    }

    /// The nodes of a cluster as the engine has them.
    package func nodes(of cluster: String) async throws(DeploymentError) -> [KindNode] {
        let names = try await run(kind.nodes(of: cluster)).text.split(separator: "\n").map(String.init)
        var nodes: [KindNode] = []
        for name in names {
            let output = try await run(kind.inspect(node: name))
            do {
                nodes.append(try KindNode(name: name, inspection: output.standardOutput))
            } catch {
                throw DeploymentError(.unavailable, "the node \(name) cannot be examined", cause: error.description)
            }
        }
        return nodes
    }

    /// When each node's container was started last, by the node's name, where the engine says it.
    func bootTimes(of cluster: String) async -> [String: Date] {
        let nodes = (try? await nodes(of: cluster)) ?? []
        return Dictionary(nodes.compactMap { node in node.startedAt.map { (node.name, $0) } }) { $1 }
    }

    /// The cluster to use: the one that the spec names, else the only one there is; nil where one must be made.
    package func cluster(named wanted: String?) async throws(DeploymentError) -> String? {
        let clusters = try await clusters()
        if let wanted { return clusters.contains(wanted) ? wanted : nil }
        guard clusters.count <= 1 else {
            throw DeploymentError(
                .unsupported, "this host has \(clusters.count) kind clusters: \(clusters.joined(separator: ", "))",
                hint: "say which: add `kind-cluster-name: \(clusters[0])` to spec.yml")
        }
        return clusters.first
    }

    /// Makes the cluster; see ``ensure(named:mounts:image:note:)``.
    func create(_ name: String, mounts: [KindMount], image: String?) async throws(DeploymentError) {
        try Files.makeDirectory(stateDirectory, mode: 0o700, isExact: true)
        for directory in mounts.map(\.hostPath) + [certificateDirectory] {
            try Files.makeDirectory(directory, isExact: true)
        }
        try PrivateFile.write(Array(MemlockHandler.specification.utf8), to: memlockFile)
        let command = kind.create(name, config: config(mounts, image: image).yaml, kubeconfig: kubeconfigFile)
        do {
            try await command.run()
        } catch {
            if error.code == .cancelled { throw DeploymentError(.cancelled, error.description) }
            throw DeploymentError(
                .unavailable, "kind could not make the cluster \(name)", cause: Self.reason(error))
        }
    }

    /// What the cluster is made with.
    package func config(_ mounts: [KindMount], image: String? = nil) -> KindConfig {
        let table = MountTable(
            mountinfo: (try? Files.read("/proc/self/mountinfo")).map { String(decoding: $0, as: UTF8.self) } ?? "")
        let followed = mounts.map { mount in
            var mount = mount
            mount.followsMounts = table.isShared(Files.canonical(mount.hostPath))
            return mount
        }
        return KindConfig(
            mounts: followed + [
                KindMount(hostPath: certificateDirectory, nodePath: KindConfig.certificates),
                KindMount(hostPath: memlockFile, nodePath: MemlockHandler.nodePath),
            ], image: image)
    }

    /// What kind says at last: its progress goes before, and the engine's command with every port is in one line.
    static func reason(_ failure: CommandFailure) -> String {
        guard case .exited = failure.code else { return failure.description }
        let lines = failure.standardError.split(separator: "\n")
        let last = lines.drop { !$0.hasPrefix("ERROR") }
        return (last.isEmpty ? lines[...] : last).map { $0.count > 300 ? "\($0.prefix(300))…" : String($0) }
            .joined(separator: "\n")
    }

    package func destroy(_ name: String) async throws(DeploymentError) {
        try await run(kind.delete(name, kubeconfig: kubeconfigFile))
        try Files.remove(marker(name))
    }

    /// The way into a cluster, written to a private file for kubectl too.
    package func access(to cluster: String) async throws(DeploymentError) -> ClusterAccess {
        let text: [UInt8]
        do {
            text = try await run(kind.kubeconfig(of: cluster)).standardOutput
        } catch {
            if let stopped = try await nodes(of: cluster).first(where: { !$0.isRunning }) {
                throw isStopped(stopped, in: cluster)
            }
            throw error
        }
        try Files.makeDirectory(stateDirectory, mode: 0o700, isExact: true)
        try PrivateFile.write(text, to: kubeconfigFile)
        do {
            // A cluster of this very host: no proxy leads to it.
            var access = try ClusterAccess.resolve(file: kubeconfigFile, environment: [:])
            access.environment = kind.host
            return access
        } catch {
            throw DeploymentError(error)
        }
    }

    func isStopped(_ node: KindNode, in cluster: String) -> DeploymentError {
        DeploymentError(
            .unavailable, "the node \(node.name) of the kind cluster \(cluster) is stopped",
            hint: "\(kind.provider.program) start \(node.name)")
    }

    @discardableResult
    func run(_ command: Command) async throws(DeploymentError) -> CommandOutput {
        do {
            return try await command.run()
        } catch {
            let code: DeploymentError.Code = error.code == .cancelled ? .cancelled : .unavailable
            throw DeploymentError(code, error.description)
        }
    }
}

extension KindHost {
    /// The deployments in a cluster, as `id (directory)`; none where the cluster does not answer.
    package func deployments(in cluster: String) async -> [String] {
        guard let access = try? await access(to: cluster), let client = try? await KubernetesClient(access) else {
            return []
        }
        let spaces = try? await client.list(.namespaces, Selection(labels: "\(Keys.managedBy)=so"))
        await client.shutDown()
        return (spaces?.items ?? []).compactMap { space in
            space.annotations[Keys.deploymentID].map { id in
                "\(id) (\(space.annotations[Keys.deploymentDirectory] ?? space.name))"
            }
        }.sorted()
    }
}
