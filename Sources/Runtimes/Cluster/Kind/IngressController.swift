import FoundationEssentials
import KubernetesClient
import Rendering
package import YAML

/// The ingress controller of the shared cluster: installed once, and the same every time.
package struct IngressController: Sendable {
    /// Its objects, in the order in which they are applied; the Deployment is the last.
    package var objects: [Node]

    /// - Parameters:
    ///   - manifest: the YAML documents that `so` ships.
    ///   - image: instead of the manifest's.
    ///   - acmeEmail: whom the authority that issues certificates may write to; nil: no certificates are asked for.
    /// - Throws: `InvalidInput`.
    package init(manifest: [UInt8], file: String, image: String?, acmeEmail: String? = nil) throws {
        objects = try loadYAML(manifest, file: file).map { node in
            guard node["kind"]?.text == "Deployment" else { return node }
            return node.changingContainers { container in
                let given = image.map { container.setting(["image"], .string($0)) } ?? container
                return acmeEmail.map { given.addingArguments(Self.resolver($0)) } ?? given
            }
        }
    }

    /// What its containers run.
    var images: [String] {
        objects.flatMap(\.templateContainers).compactMap { $0["image"]?.text }
    }

    /// Every host that is served over TLS gets a certificate by the HTTP challenge, kept on the node.
    /// https://doc.traefik.io/traefik/https/acme/
    private static func resolver(_ email: String) -> [String] {
        [
            "\(resolverPrefix)email=\(email)", "\(resolverPrefix)storage=/certificates/acme.json",
            "\(resolverPrefix)httpchallenge.entrypoint=web", "\(entryPointTLS)certresolver=acme",
        ]
    }

    private static let resolverPrefix = "--certificatesresolvers.acme.acme."
    private static let entryPointTLS = "--entrypoints.websecure.http.tls."

    /// The controller belongs to all deployments of the host: certificates that another one has asked for go on.
    private func keepingResolver(of live: LiveObject?) -> [Node] {
        let kept = (live?.node.templateContainers ?? []).flatMap { $0["args"]?.sequence ?? [] }.compactMap(\.text)
            .filter {
                $0.hasPrefix(Self.resolverPrefix) || $0.hasPrefix(Self.entryPointTLS)
            }
        guard !kept.isEmpty else { return objects }
        return objects.map { node in
            guard node["kind"]?.text == "Deployment" else { return node }
            return node.changingContainers { container in
                let own = (container["args"]?.sequence ?? []).compactMap(\.text)
                return own.contains { $0.hasPrefix(Self.resolverPrefix) } ? container : container.addingArguments(kept)
            }
        }
    }

    /// Applies it and waits until it serves; says nothing where it does already.
    ///
    /// - Parameter boots: when nodes were started last: what was said of its pods before is not believed.
    func install(
        in access: ClusterAccess, since boots: [String: Date], events: EventHandler
    ) async throws(DeploymentError) {
        do {
            let client = try await KubernetesClient(access)
            do {
                try await install(with: client, since: boots, events)
            } catch {
                await client.shutDown()
                throw error
            }
            await client.shutDown()
        } catch let error as DeploymentError {
            throw error
        } catch let error as KubernetesError {
            throw DeploymentError(error)
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }

    /// Writes nothing where the object is as it was applied last.
    private func apply(_ node: Node, with client: KubernetesClient) async throws -> LiveObject {
        let object = LiveObject(node)
        guard let type = ResourceType.of(apiVersion: object.apiVersion, kind: object.kind) else {
            throw DeploymentError(.unsupported, "\(object.identity) of the ingress controller: no kind that so applies")
        }
        let key = ObjectKey(type, object.name, namespace: object.namespace)
        let desired = DesiredObject(key: key, node: node).fingerprinted()
        if let live = try await client.get(type, object.name, namespace: key.namespace), desired.isUnchanged(in: live) {
            return live
        }
        return try await client.apply(desired.node, force: true)
    }

    private func install(
        with client: KubernetesClient, since boots: [String: Date], _ events: EventHandler
    ) async throws {
        // The namespace and the account go before what lives in them.
        guard let deployment = objects.last.map({ LiveObject($0) }), deployment.kind == "Deployment" else { return }
        var live = try await client.get(.deployments, deployment.name, namespace: deployment.namespace)
        for object in keepingResolver(of: live) { live = try await apply(object, with: client) }
        let pods = boots.isEmpty ? [] : try await client.list(.pods, Selection(namespace: deployment.namespace)).items
        let hasFormer = pods.contains { pod in
            pod.nodeName.flatMap { boots[$0] }.map { pod.isFrom(before: $0) } ?? false
        }
        if live?.status?["availableReplicas"]?.intValue ?? 0 > 0, !hasFormer { return }
        events(Event(nil, .waiting(for: "the ingress controller")))
        if let failure = try await waitUntilReady(deployment, client, boots) {
            var error = DeploymentError(.failed, "the ingress controller cannot serve the routes")
            error.failures = [failure]
            throw error
        }
    }

    /// Follows it as a service of a deployment is followed; its objects carry the labels of one.
    ///
    /// - Returns: why it cannot become ready; nil when it is.
    private func waitUntilReady(
        _ deployment: LiveObject, _ client: KubernetesClient, _ boots: [String: Date]
    ) async throws -> ServiceFailure? {
        let namespace = deployment.namespace ?? ""
        let session = ClusterSession(
            client: client,
            model: DeploymentModel(
                id: namespace, namespace: namespace, stackName: namespace, owner: "so", stateDirectory: "",
                secretsFile: "", rendered: RenderedDeployment()))
        let workload = Workload(
            name: deployment.name, kind: .deployment, component: deployment.name, services: [deployment.name])
        let state = ClusterState([workload], bootTimes: boots)
        let waiter = WorkloadWaiter(
            session: session, workload: workload, state: state, startup: StartupProgress(replicas: [workload.name: 1]),
            events: { _ in }, mask: SecretMask([]), patience: Patience(), isKept: true)
        return try await session.watching(state) { try await waiter.run() }
    }
}

extension Node {
    /// The containers of a workload's pods; none of another object.
    fileprivate var templateContainers: [Node] { at("spec", "template", "spec", "containers")?.sequence ?? [] }

    /// A workload with every container of its pods changed.
    fileprivate func changingContainers(_ change: (Node) -> Node) -> Node {
        guard !templateContainers.isEmpty else { return self }
        return setting(["spec", "template", "spec", "containers"], .list(templateContainers.map(change)))
    }

    fileprivate func addingArguments(_ arguments: [String]) -> Node {
        setting(["args"], .list((self["args"]?.sequence ?? []) + arguments.map { .string($0) }))
    }
}
