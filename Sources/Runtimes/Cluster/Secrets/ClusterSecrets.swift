import Compose
import KubernetesClient
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

/// The Secrets of a deployment as they shall be, beside what the cluster has.
///
/// Generated values live in the cluster and nowhere else. A Secret that changes gets a new random revision, which the pods
/// that use it carry: it says that something changed and nothing about what.
struct ClusterSecrets: Sendable {
    /// One Secret that is applied; the generated ones are not among them.
    struct Item: Sendable {
        var template: SecretTemplate
        /// Nil while values are not known yet: in a plan before the first start.
        var node: Node?
        var action: ClusterPlan.Action
        var changes: [String]
        var refusal: DeploymentError?
    }

    var items: [Item] = []
    /// The template of the generated values, if there are any.
    var generated: SecretTemplate?
    /// Whether some of the generated values do not exist yet.
    var generates = false
    /// Every value that must not be printed.
    var values: [String] = []
    /// Of each Secret that the pods may use.
    var revisions: [String: String] = [:]
    var generatedRefusal: DeploymentError?

    /// What holds the pods' values.
    func keys(_ namespace: String) -> Set<ObjectKey> {
        var keys = Set(items.map { ObjectKey(.secrets, $0.template.name, namespace: namespace) })
        if let generated { keys.insert(ObjectKey(.secrets, generated.name, namespace: namespace)) }
        return keys
    }

    /// The Secrets' part of a plan.
    func decisions(_ namespace: String, _ observed: ClusterObserved) -> [ClusterPlan.Decision] {
        var result = items.map { item in
            let key = ObjectKey(.secrets, item.template.name, namespace: namespace)
            return ClusterPlan.Decision(
                object: DesiredObject(key: key, node: item.node ?? .map([])), live: observed.objects[key],
                action: item.action, reason: item.action == .update ? "its content changes (masked)" : nil,
                changes: item.changes, refusal: item.refusal)
        }
        if let generated, generates || generatedRefusal != nil {
            let key = ObjectKey(.secrets, generated.name, namespace: namespace)
            result.append(
                ClusterPlan.Decision(
                    object: DesiredObject(key: key, node: .map([])), live: observed.objects[key],
                    action: observed.objects[key] == nil ? .create : .update, reason: "values are generated once",
                    refusal: generatedRefusal))
        }
        return result
    }
}

extension ClusterSecrets {
    private static let annotations = ["metadata", "annotations"]

    /// What the Secrets shall be with the values that the cluster has; those not generated yet are left open.
    static func planned(_ model: DeploymentModel, _ observed: ClusterObserved) throws(DeploymentError) -> ClusterSecrets
    {
        let key = ObjectKey(.secrets, ClusterNames.generatedSecrets, namespace: model.namespace)
        return try ClusterSecrets(model, observed, generated: observed.objects[key])
    }

    init(
        _ model: DeploymentModel, _ observed: ClusterObserved, generated live: LiveObject?
    ) throws(DeploymentError) {
        generated = model.rendered.secrets.first { $0.name == ClusterNames.generatedSecrets }
        var known = model.credentials
        let stored = live.map { Self.data(of: $0) } ?? [:]
        for entry in generated?.entries ?? [] {
            guard let name = entry.secretName else { continue }
            if let bytes = stored[entry.key] {
                known[name] = String(decoding: bytes, as: UTF8.self)
            } else {
                generates = true
            }
        }
        if generated != nil, let live {
            revisions[ClusterNames.generatedSecrets] = live.annotations[ClusterNames.revision]
            if !observed.isOwn(live, model) { generatedRefusal = Self.foreign(ClusterNames.generatedSecrets, model) }
        }
        values = Array(known.values)
        for template in model.rendered.secrets where template.name != ClusterNames.generatedSecrets {
            try add(template, model, observed, known)
        }
    }

    private mutating func add(
        _ template: SecretTemplate, _ model: DeploymentModel, _ observed: ClusterObserved, _ known: [String: String]
    ) throws(DeploymentError) {
        let live = observed.objects[ObjectKey(.secrets, template.name, namespace: model.namespace)]
        var tokens: [RegistryCredential: String] = [:]
        for entry in template.entries {
            if case .registry(let login) = entry.value {
                tokens[login] = try login.token(environment: model.environment)
            }
        }
        let secret: KubernetesObjects.Secret
        do {
            secret = try template.resolved({ known[$0] }, token: { tokens[$0] })
        } catch {
            // Generated values come with the start.
            let open = Set((generated?.entries ?? []).compactMap(\.secretName))
            guard error.names.allSatisfy(open.contains) else {
                throw DeploymentError(.missing, error.description, hint: "name them in credentials-files or `config`")
            }
            items.append(Item(template: template, node: nil, action: live == nil ? .create : .update, changes: []))
            return
        }
        try add(secret, template, live, model, observed)
    }

    private mutating func add(
        _ secret: KubernetesObjects.Secret, _ template: SecretTemplate, _ live: LiveObject?, _ model: DeploymentModel,
        _ observed: ClusterObserved
    ) throws(DeploymentError) {
        values +=
            (secret.data?.values.values).map {
                $0.compactMap { base64Decoded($0) }.map { String(decoding: $0, as: UTF8.self) }
            } ?? []
        guard let node = try? KubernetesObject.secret(secret).node() else {
            throw DeploymentError(.cannotCreate, "the Secret \(template.name) cannot be written")
        }
        var item = Item(template: template, node: node, action: .create, changes: [])
        var revision = live?.annotations[ClusterNames.revision]
        if let live {
            let wanted = secret.data?.values ?? [:]
            let now = live.node["data"]?.strings ?? [:]
            let changed = Set(wanted.keys).union(now.keys).filter { wanted[$0] != now[$0] }.sorted()
            item.changes = changed.map { "data.\($0): (secret)" }
            let isSame = changed.isEmpty && revision != nil && live.labels[Keys.instance] == model.id
            item.action = isSame ? .keep : .update
            if !changed.isEmpty { revision = nil }
            if !observed.isOwn(live, model) { item.refusal = Self.foreign(template.name, model) }
        }
        if revision == nil { revision = try newRevision() }
        revisions[template.name] = revision
        item.node = node.setting(Self.annotations + [ClusterNames.revision], .string(revision ?? ""))
        items.append(item)
    }

    private static func foreign(_ name: String, _ model: DeploymentModel) -> DeploymentError {
        DeploymentError(
            .notPermitted, "Secret/\(name) exists already, and this deployment did not make it",
            hint: "choose another `namespace:`, or hand it over: kubectl label secret \(name) -n \(model.namespace) "
                + "--overwrite \(Keys.managedBy)=so \(Keys.instance)=\(model.id)")
    }

    static func data(of secret: LiveObject) -> [String: [UInt8]] {
        (secret.node["data"]?.strings ?? [:]).compactMapValues { base64Decoded($0) }
    }
}

extension SecretTemplate.Entry {
    /// The generated secret that the entry is.
    var secretName: String? {
        if case .text(let text) = value { text.secretNames.first } else { nil }
    }
}

/// Random, so that it tells nothing of what it stands for.
func newRevision() throws(DeploymentError) -> String {
    do {
        return hex(try randomBytes(8))
    } catch {
        throw DeploymentError(.unavailable, "the system gives no random numbers", cause: "\(error)")
    }
}
