import KubernetesClient
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
        let containers = live?.node.at("spec", "template", "spec", "containers")?.sequence ?? []
        let kept = containers.flatMap { $0["args"]?.sequence ?? [] }.compactMap(\.text).filter {
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
    func install(in access: ClusterAccess, events: EventHandler) async throws(DeploymentError) {
        do {
            let client = try await KubernetesClient(access)
            do {
                try await install(with: client, events)
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
    private func apply(_ node: Node, with client: KubernetesClient) async throws {
        let object = LiveObject(node)
        guard let type = ResourceType.of(apiVersion: object.apiVersion, kind: object.kind) else {
            throw DeploymentError(.unsupported, "\(object.identity) of the ingress controller: no kind that so applies")
        }
        let key = ObjectKey(type, object.name, namespace: object.namespace)
        let desired = DesiredObject(key: key, node: node).fingerprinted()
        if let live = try await client.get(type, object.name, namespace: key.namespace), desired.isUnchanged(in: live) {
            return
        }
        _ = try await client.apply(desired.node, force: true)
    }

    private func install(with client: KubernetesClient, _ events: EventHandler) async throws {
        // The namespace and the account go before what lives in them.
        guard let deployment = objects.last.map({ LiveObject($0) }), deployment.kind == "Deployment" else { return }
        let before = try await client.get(.deployments, deployment.name, namespace: deployment.namespace)
        for object in keepingResolver(of: before) { try await apply(object, with: client) }
        let limit = ContinuousClock.now.advanced(by: .seconds(300))
        var isTold = false
        while true {
            let live = try await client.get(.deployments, deployment.name, namespace: deployment.namespace)
            if live?.status?["availableReplicas"]?.intValue ?? 0 > 0 { return }
            if !isTold { events(Event(nil, .waiting(for: "the ingress controller"))) }
            isTold = true
            guard ContinuousClock.now < limit else {
                throw DeploymentError(
                    .failed,
                    "the ingress controller \(deployment.namespace ?? "")/\(deployment.name) did not become ready",
                    mend: "kubectl -n \(deployment.namespace ?? "") describe pods")
            }
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

extension Node {
    /// A workload with every container of its pods changed.
    fileprivate func changingContainers(_ change: (Node) -> Node) -> Node {
        guard let containers = at("spec", "template", "spec", "containers")?.sequence else { return self }
        return setting(["spec", "template", "spec", "containers"], .list(containers.map(change)))
    }

    fileprivate func addingArguments(_ arguments: [String]) -> Node {
        setting(["args"], .list((self["args"]?.sequence ?? []) + arguments.map { .string($0) }))
    }
}
