import FoundationEssentials
import Glibc
import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

/// What the cluster has of a deployment, and what stands in its way.
struct ClusterObserved: Sendable {
    var namespace: LiveObject?
    /// Secrets that the deployment does not make are here by their metadata only.
    var objects: [ObjectKey: LiveObject] = [:]
    /// What the deployment consists of as it is rendered.
    var desired: Set<ObjectKey> = []
    var inventory: Inventory
    var hasInventory = false
    /// By what means the cluster serves the deployment's routes; nil: it has none.
    var ingress: IngressDefaults?
    /// The id that the namespace's last deployment had, where this one takes its place.
    var predecessor: String?

    /// Whether an object is this deployment's, or that of the one whose place it takes.
    func isOwn(_ object: LiveObject, _ model: DeploymentModel) -> Bool {
        guard object.labels[Keys.managedBy] == "so", let owner = object.labels[Keys.instance] else { return false }
        return owner == model.id || (predecessor != nil && owner == predecessor)
    }
}

extension ClusterSession {
    /// The kinds that a namespace is looked through for.
    private static let listed: [ResourceType] = [
        .configMaps, .persistentVolumeClaims, .services, .deployments, .daemonSets, .jobs, .cronJobs, .ingresses,
        .networkPolicies,
    ]

    /// Reads all that matters, at once. A namespace that does not exist holds nothing.
    func observe() async throws(DeploymentError) -> ClusterObserved {
        let space = try await call { () async throws(KubernetesError) in
            try await client.get(.namespaces, namespace)
        }
        var observed = ClusterObserved(namespace: space, inventory: Inventory(keys: []))
        observed.ingress = try await ingressDefaults()
        if let space { observed.predecessor = predecessor(in: space) }
        let desired = keys(of: model)
        observed.desired = desired
        let lists =
            space == nil
            ? []
            : try await each(Self.listed) { type async throws(DeploymentError) in
                try await list(type, isNeeded: desired.contains { $0.type == type })
            }
        for object in lists.joined() {
            guard let type = ResourceType.of(apiVersion: object.apiVersion, kind: object.kind) else { continue }
            observed.objects[ObjectKey(type, object.name, namespace: namespace)] = object
        }
        let inventoryKey = ObjectKey(.configMaps, ClusterNames.inventory(model.id), namespace: namespace)
        observed.hasInventory = observed.objects[inventoryKey] != nil
        observed.inventory = Inventory(observed.objects[inventoryKey], namespace: namespace)
        if let predecessor = observed.predecessor, predecessor != model.id {
            let old = ObjectKey(.configMaps, ClusterNames.inventory(predecessor), namespace: namespace)
            observed.inventory.keys.formUnion(Inventory(observed.objects[old], namespace: namespace).keys)
            if observed.objects[old] != nil { observed.inventory.keys.insert(old) }
        }
        let single = desired.union(observed.inventory.keys).filter { key in
            !Self.listed.contains(key.type) && key.type != .namespaces && (space != nil || !key.type.isNamespaced)
        }
        let found = try await each(Array(single)) { key async throws(DeploymentError) -> LiveObject? in
            try await call { () async throws(KubernetesError) in
                try await client.get(key.type, key.name, namespace: key.namespace)
            }
        }
        for (key, object) in zip(Array(single), found) { observed.objects[key] = object }
        return observed
    }

    /// A kind that nothing here needs may be forbidden.
    private func list(_ type: ResourceType, isNeeded: Bool) async throws(DeploymentError) -> [LiveObject] {
        do {
            return try await client.list(type, Selection(namespace: namespace)).items
        } catch {
            if error.code == .forbidden, !isNeeded { return [] }
            throw DeploymentError(error)
        }
    }

    private func keys(of model: DeploymentModel) -> Set<ObjectKey> {
        var keys = Set(
            model.rendered.objects.compactMap { object in
                ResourceType.of(apiVersion: object.apiVersion, kind: object.kind).map {
                    ObjectKey($0, object.name, namespace: namespace)
                }
            })
        for template in model.rendered.secrets { keys.insert(ObjectKey(.secrets, template.name, namespace: namespace)) }
        return keys
    }

    /// A deployment that was made again in the same directory of the same host goes on with what its predecessor had. One from memory has its identity
    /// from its maker alone.
    private func predecessor(in space: LiveObject) -> String? {
        let notes = space.annotations
        guard model.hasVerbs, let owner = notes[Keys.deploymentID], owner != model.id,
            notes[Keys.deploymentDirectory] == model.owner,
            notes[ClusterNames.host] == hostName()
        else { return nil }
        return owner
    }
}

extension ClusterObserved {
    /// Refuses a namespace that another deployment has.
    ///
    /// - Throws: `notPermitted` with the line to add.
    func refuseForeignNamespace(_ model: DeploymentModel) throws(DeploymentError) {
        guard let owner = namespace?.annotations[Keys.deploymentID], owner != model.id, predecessor == nil else {
            return
        }
        let place = namespace?.annotations[Keys.deploymentDirectory].map { " in \($0)" } ?? ""
        let host = namespace?.annotations[ClusterNames.host].map { " on \($0)" } ?? ""
        throw DeploymentError(
            .notPermitted, "the namespace \(model.namespace) belongs to the deployment \(owner)\(place)\(host)",
            hint: "give this one its own: add `namespace: \(model.namespace)-2` to spec.yml")
    }

    /// Whether the deployment made its namespace.
    func ownsNamespace(_ model: DeploymentModel) -> Bool {
        let owner = namespace?.annotations[Keys.deploymentID]
        return owner == model.id || (owner != nil && owner == predecessor)
    }
}

/// This host's name, as the owner of a namespace is told by.
func hostName() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "unknown" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
