import KubernetesClient
import Rendering
import YAML

/// What a deployment has in the cluster, kept in a ConfigMap of its namespace.
///
/// A start writes it as a superset of what it will make before it makes anything, and as it is when all is done: whenever
/// it is killed, nothing that it made is forgotten.
struct Inventory: Sendable, Hashable {
    var keys: Set<ObjectKey>

    /// Reads the ConfigMap; lines of kinds that this version does not know stay out.
    init(_ object: LiveObject?, namespace: String) {
        let lines = object?.node.at("data", "objects")?.text?.split(separator: "\n") ?? []
        keys = Set(
            lines.compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                guard words.count == 3, let type = ResourceType.of(apiVersion: words[0], kind: words[1]) else {
                    return nil
                }
                return ObjectKey(type, words[2], namespace: namespace)
            })
    }

    init(keys: Set<ObjectKey>) { self.keys = keys }

    func node(of model: DeploymentModel) -> Node {
        let lines = keys.map { "\($0.type.apiVersion) \($0.type.kind) \($0.name)" }.sorted()
        return .map([
            ("apiVersion", .string("v1")), ("kind", .string("ConfigMap")),
            (
                "metadata",
                .map([
                    ("name", .string(ClusterNames.inventory(model.id))), ("namespace", .string(model.namespace)),
                    (
                        "labels",
                        .map([(Keys.instance, .string(model.id)), (Keys.managedBy, .string("so"))])
                    ),
                ])
            ),
            ("data", .map([("objects", .string(lines.joined(separator: "\n")))])),
        ])
    }
}

extension ClusterSession {
    /// Writes the inventory, whoever else wrote into it: it is the deployment's own.
    func write(_ inventory: Inventory) async throws(DeploymentError) {
        _ = try await call { () async throws(KubernetesError) in
            try await client.apply(inventory.node(of: model), force: true)
        }
    }
}
