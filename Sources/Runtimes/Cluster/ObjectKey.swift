import KubernetesClient
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

/// Which object is meant: its kind and name, and for kinds that have one the namespace.
struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
    var type: ResourceType
    var namespace: String?
    var name: String

    init(_ type: ResourceType, _ name: String, namespace: String?) {
        self.type = type
        self.name = name
        self.namespace = type.isNamespaced ? namespace : nil
    }

    /// `Kind/name`
    var description: String { "\(type.kind)/\(name)" }

    /// Data: no start ever deletes it, and a stop only when it is told to.
    var isData: Bool {
        type == .persistentVolumes || type == .persistentVolumeClaims
            || (type == .secrets && name == ClusterNames.generatedSecrets)
    }

    var isWorkload: Bool { isLasting || type == .jobs || type == .cronJobs }

    /// Whether its pods run until they are stopped.
    var isLasting: Bool { type == .deployments || type == .daemonSets }
}

/// Names and keys that only this runtime writes.
enum ClusterNames {
    static let generatedSecrets = "generated-secrets"
    private static let prefix = "stack-orchestrator.dev/"
    /// On a Secret: changes whenever its content does, and says nothing about it.
    static let revision = prefix + "revision"
    /// On a pod template: the revisions of the Secrets that the pod uses, so that it is rolled when one changes.
    static let secrets = prefix + "secrets"
    /// On a pod template: what the workloads are like with which this one is restarted.
    static let restartsWith = prefix + "restarts-with"
    /// On a pod template: the ids of images that this host brought to the nodes, so that the pod is rolled when one is built again.
    static let images = prefix + "images"
    /// On what is applied: what it was when it was applied last, so that what has not changed since needs no question.
    static let applied = prefix + "applied"
    /// On a pod template: when it was rolled without a change; kubectl writes the same.
    static let restartedAt = "kubectl.kubernetes.io/restartedAt"
    /// Who owns that note: an apply, which does not name it, leaves it where it is.
    static let restarter = "so-restart"
    /// On a pod of its own: the workload whose settings it has.
    static let run = prefix + "run"
    /// On the namespace and on volumes: the host of the deployment's directory.
    static let host = prefix + "host"

    /// The ConfigMap that lists what a deployment has in the cluster.
    static func inventory(_ deployment: String) -> String {
        "so-inventory-" + deployment.lowercased().replacing("_", with: "-")
    }
}

/// One object as it shall be.
struct DesiredObject: Sendable {
    var key: ObjectKey
    var node: Node
    /// The workload that it is.
    var workload: String?
    /// The workload whose pods a Service leads to.
    var selectedWorkload: String? { key.type == .services ? node.at("spec", "selector", Keys.name)?.text : nil }
    /// A Secret's content never reaches a plan.
    var isSecret: Bool { key.type == .secrets }
}

extension DesiredObject {
    /// The object with its own fingerprint on it.
    func fingerprinted() -> DesiredObject {
        var result = self
        let fingerprint = String(sha256Hex(Array(node.json().utf8)).prefix(16))
        result.node = node.setting(["metadata", "annotations", ClusterNames.applied], .string(fingerprint))
        return result
    }

    /// Whether the live object is what this one was when it was applied last, and still has all of it. Then no server has to
    /// be asked: nothing was let go of since, and nobody changed anything that is set here.
    func isUnchanged(in live: LiveObject) -> Bool {
        let mark = node.at("metadata", "annotations", ClusterNames.applied)?.text
        return mark != nil && live.annotations[ClusterNames.applied] == mark && node.isContained(in: live.node)
    }
}

extension Node {
    /// Whether everything in this value is in the other one too, and means the same. Values that the server writes in another
    /// way (`0.5` as `500m`) count as different: then the server is asked.
    func isContained(in other: Node) -> Bool {
        switch (content, other.content) {
        case (.mapping(let own), .mapping(let others)):
            return own.entries.allSatisfy { entry in
                others[entry.key].map { entry.value.isContained(in: $0) } ?? entry.value.isNull
            }
        case (.sequence(let own), .sequence(let others)):
            return own.count == others.count && zip(own, others).allSatisfy { $0.isContained(in: $1) }
        default: return means(other)
        }
    }

    /// The node with a value set at a path of keys; mappings on the way are made.
    func setting(_ path: [String], _ value: Node) -> Node {
        guard let first = path.first else { return value }
        var mapping = self.mapping ?? Mapping()
        mapping[first] = (mapping[first] ?? .map([])).setting(Array(path.dropFirst()), value)
        return Node(.mapping(mapping), tag: tag, mark: mark)
    }

    /// The value at a path of keys.
    func at(_ path: String...) -> Node? { at(path) }

    /// The same.
    func at(_ path: [String]) -> Node? {
        path.reduce(Optional(self)) { $0?[$1] }
    }
}
