import KubernetesClient
package import YAML

/// The ingress controller of the shared cluster: installed once, and the same every time.
package struct IngressController: Sendable {
    /// Its objects, in the order in which they are applied; the Deployment is the last.
    package var objects: [Node]

    /// - Parameters:
    ///   - manifest: the YAML documents that `so` ships.
    ///   - image: instead of the manifest's.
    /// - Throws: `InvalidInput`.
    package init(manifest: [UInt8], file: String, image: String?) throws {
        objects = try loadYAML(manifest, file: file).map { node in
            guard let image, node["kind"]?.text == "Deployment",
                let containers = node.at("spec", "template", "spec", "containers")?.sequence
            else { return node }
            let changed = containers.map { $0.setting(["image"], .string(image)) }
            return node.setting(["spec", "template", "spec", "containers"], .list(changed))
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

    private func install(with client: KubernetesClient, _ events: EventHandler) async throws {
        // The namespace and the account go before what lives in them.
        for object in objects { _ = try await client.apply(object, force: true) }
        guard let deployment = objects.last.map({ LiveObject($0) }), deployment.kind == "Deployment" else { return }
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
