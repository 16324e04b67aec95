import KubernetesClient
import Rendering
import YAML

extension ClusterObserved {
    /// What is being deleted of all that a deployment has or wants: an apply would reach it and go with it.
    func terminating(_ model: DeploymentModel) -> [ObjectKey] {
        objects.filter { key, object in object.isTerminating && (desired.contains(key) || isOwn(object, model)) }
            .map(\.key).sorted()
    }
}

extension ClusterSession {
    /// Reads the cluster when nothing of the deployment is being deleted any more, as after a stop that was killed.
    func observeSettled(_ events: EventHandler) async throws(DeploymentError) -> ClusterObserved {
        var observed = try await awaitTermination(of: observe(), events)
        try observed.refuseForeignNamespace(model)
        let going = observed.terminating(model)
        guard !going.isEmpty else { return observed }
        events(Event(nil, .waiting(for: "\(going.map(\.description).joined(separator: ", ")) to be gone")))
        let objects = observed.objects
        _ = try await each(going) { key async throws(DeploymentError) in
            try await awaitGone(key, live: objects[key])
        }
        observed = try await awaitTermination(of: observe(), events)
        return observed
    }

    /// A namespace that is being deleted takes nothing in: its end is waited for.
    func awaitTermination(
        of observed: ClusterObserved, _ events: EventHandler
    ) async throws(DeploymentError) -> ClusterObserved {
        guard let space = observed.namespace, space.isTerminating else { return observed }
        events(Event(nil, .waiting(for: "the namespace \(namespace) to be gone")))
        try await wait(
            .namespaces, Selection(fields: "metadata.name=\(namespace)"), limit: 120,
            what: "deleting the namespace \(namespace)"
        ) { $0.isEmpty }
        return try await observe()
    }

    /// Whether the deployment's namespace is gone or on its way, whatever an operation in it has failed with.
    func hasLostNamespace() async -> Bool {
        do {
            return try await client.get(.namespaces, namespace)?.isTerminating ?? true
        } catch {
            return false
        }
    }

    /// Waits until an object that is being deleted has gone, its dependants with it.
    func awaitGone(_ key: ObjectKey, live: LiveObject?) async throws(DeploymentError) {
        let grace = live?.template?.at("spec", "terminationGracePeriodSeconds")?.intValue ?? 30
        let uid = live?.uid
        try await wait(
            key.type, Selection(namespace: key.namespace, fields: "metadata.name=\(key.name)"),
            limit: Double(grace + 90), what: "deleting \(key)"
        ) { objects in objects.values.allSatisfy { uid != nil && $0.uid != uid } }
    }

    /// Applies an object so that it stays: one that is being deleted takes changes in too, and they go with it.
    func applyLasting(_ object: DesiredObject, force: Bool) async throws -> LiveObject {
        var result = try await client.apply(object.node, force: force)
        while result.isTerminating {
            try await awaitGone(object.key, live: result)
            result = try await client.apply(object.node, force: force)
        }
        return result
    }
}
