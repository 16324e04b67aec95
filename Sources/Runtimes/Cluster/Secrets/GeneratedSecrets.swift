import KubernetesClient
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

extension ClusterSession {
    /// Makes the generated values that do not exist yet. Two that do so at once agree on one value: the API lets only one
    /// create, and the other reads what the first wrote.
    func ensureGenerated(_ template: SecretTemplate) async throws(DeploymentError) -> LiveObject {
        for _ in 0..<10 {
            let live = try await generatedSecret()
            guard let live else {
                if let made = try await createGenerated(template) { return made }
                continue
            }
            let missing = template.entries.filter { live.node.at("data", $0.key) == nil }
            if missing.isEmpty, live.annotations[ClusterNames.revision] != nil { return live }
            if let changed = try await add(missing, to: live) { return changed }
        }
        throw DeploymentError(
            .unavailable, "others keep changing Secret/\(template.name) of \(namespace)", hint: "start again")
    }

    func generatedSecret() async throws(DeploymentError) -> LiveObject? {
        try await call { () async throws(KubernetesError) in
            try await client.get(.secrets, ClusterNames.generatedSecrets, namespace: namespace)
        }
    }

    /// Nil where somebody else was first.
    ///
    /// - Parameter given: values, by the secrets' names, that are not to be generated.
    private func createGenerated(
        _ template: SecretTemplate, given: [String: String] = [:]
    ) async throws(DeploymentError) -> LiveObject? {
        var data: StringMap = [:]
        for entry in template.entries {
            if let value = entry.secretName.flatMap({ given[$0] }) {
                data[entry.key] = base64(Array(value.utf8))
            } else {
                data[entry.key] = try makeValue(entry)
            }
        }
        let secret = Secret(
            metadata: ObjectMeta(
                name: template.name, namespace: namespace, labels: template.labels,
                annotations: [ClusterNames.revision: try newRevision()]), data: data)
        guard let node = try? KubernetesObject.secret(secret).node() else {
            throw DeploymentError(.cannotCreate, "the Secret \(template.name) cannot be written")
        }
        do {
            return try await client.create(node)
        } catch {
            if error.code == .alreadyExists { return nil }
            throw DeploymentError(error)
        }
    }

    /// Adds values to the Secret as it was read; nil where it has changed meanwhile. A value that is there is never touched.
    private func add(
        _ entries: [SecretTemplate.Entry], to live: LiveObject
    ) async throws(DeploymentError) -> LiveObject? {
        var data: [(String, Node)] = []
        for entry in entries { data.append((entry.key, .string(try makeValue(entry)))) }
        return try await patch(live, data)
    }

    private func patch(
        _ live: LiveObject, _ data: [(String, Node)]
    ) async throws(DeploymentError) -> LiveObject? {
        let labels = Node.map([(Keys.instance, .string(model.id)), (Keys.managedBy, .string("so"))])
        let patch = Node.map([
            (
                "metadata",
                .map([
                    ("resourceVersion", .string(live.resourceVersion)), ("labels", labels),
                    ("annotations", .map([(ClusterNames.revision, .string(try newRevision()))])),
                ])
            ), ("data", .map(data)),
        ])
        do {
            return try await client.mergePatch(.secrets, live.name, namespace: namespace, patch)
        } catch {
            if error.code == .conflict || error.code == .notFound { return nil }
            throw DeploymentError(error)
        }
    }

    private func makeValue(_ entry: SecretTemplate.Entry) throws(DeploymentError) -> String {
        guard let name = entry.secretName, let make = model.generators[name] else {
            throw DeploymentError(.cannotCreate, "nothing says how the secret \(entry.key) is generated")
        }
        do {
            return base64(Array(try make().utf8))
        } catch {
            throw DeploymentError(.cannotCreate, "the secret \(name) could not be generated", cause: "\(error)")
        }
    }
}

extension ClusterRuntime {
    package func secrets(_ deployment: DeploymentModel) async throws(DeploymentError) -> [SecretListing] {
        try await withSession(deployment) { session async throws(DeploymentError) in
            let stored = try await session.generatedSecret().map { ClusterSecrets.data(of: $0) } ?? [:]
            let template = deployment.rendered.secrets.first { $0.name == ClusterNames.generatedSecrets }
            var keys: [String: String] = [:]
            for entry in template?.entries ?? [] { keys[entry.secretName ?? entry.key] = entry.key }
            let declared = Set(keys.values)
            var result = keys.map { SecretListing(name: $0, source: .generated, exists: stored[$1] != nil) }
            result += stored.keys.filter { !declared.contains($0) }.map {
                SecretListing(name: $0, source: .undeclared, exists: true)
            }
            result += deployment.credentials.keys.filter { keys[$0] == nil }.map {
                SecretListing(name: $0, source: .credentialsFile, exists: true)
            }
            return result.sorted { $0.name < $1.name }
        }
    }

    package func importSecrets(
        _ deployment: DeploymentModel, _ values: [String: String], replaces: Bool
    ) async throws(DeploymentError) -> [String] {
        try await withSession(deployment) { session async throws(DeploymentError) in
            let observed = try await session.observe()
            try observed.refuseForeignNamespace(deployment)
            return try await session.take(values, replaces: replaces, createsNamespace: observed.namespace == nil)
        }
    }

    package func rotateSecret(_ deployment: DeploymentModel, name: String) async throws(DeploymentError) {
        try await withSession(deployment) { session async throws(DeploymentError) in
            try await session.rotate(name)
        }
    }
}

extension ClusterSession {
    /// Values that come from elsewhere; before the first start they make the Secret, and the namespace.
    fileprivate func take(
        _ given: [String: String], replaces: Bool, createsNamespace: Bool
    ) async throws(DeploymentError) -> [String] {
        let template = model.rendered.secrets.first { $0.name == ClusterNames.generatedSecrets }
        let keys = Dictionary(
            (template?.entries ?? []).compactMap { entry in entry.secretName.map { ($0, entry.key) } }
        ) { $1 }
        var hasNamespace = !createsNamespace
        for _ in 0..<10 {
            let live = hasNamespace ? try await generatedSecret() : nil
            if let live, live.labels[Keys.instance] != model.id {
                throw DeploymentError(
                    .notPermitted, "Secret/\(live.name) of \(namespace) belongs to another deployment",
                    hint: "start this one first: if it replaces the other one, it adopts it")
            }
            let data = live.map { ClusterSecrets.data(of: $0) } ?? [:]
            let stored = keys.compactMapValues { key in data[key].map { String(decoding: $0, as: UTF8.self) } }
            let changed = try SecretImport(known: Set(keys.keys), stored: stored).changes(given, replaces: replaces)
            guard let template, !changed.isEmpty else { return [] }
            if let live {
                let pairs = changed.compactMap { name in
                    keys[name].map { ($0, Node.string(base64(Array((given[name] ?? "").utf8)))) }
                }
                if try await patch(live, pairs) != nil { return changed }
            } else {
                if !hasNamespace { try await createNamespace() }
                hasNamespace = true
                if try await createGenerated(template, given: given) != nil { return changed }
            }
        }
        throw DeploymentError(.unavailable, "others keep changing the secrets of \(namespace)", hint: "try again")
    }

    fileprivate func rotate(_ name: String) async throws(DeploymentError) {
        let template = model.rendered.secrets.first { $0.name == ClusterNames.generatedSecrets }
        guard let template, let entry = template.entries.first(where: { $0.secretName == name }) else {
            let known = (template?.entries ?? []).compactMap(\.secretName).sorted().joined(separator: ", ")
            throw DeploymentError(
                .missing, "no generated secret named \(name)",
                hint: known.isEmpty ? "none exist" : "known: \(known)")
        }
        for _ in 0..<10 {
            guard let live = try await generatedSecret() else {
                throw DeploymentError(
                    .missing, "the secrets of \(namespace) have not been generated yet", hint: "so deployment start")
            }
            let value = try makeValue(entry)
            if try await patch(live, [(entry.key, .string(value))]) != nil { return }
        }
        throw DeploymentError(.unavailable, "others keep changing the secrets of \(namespace)", hint: "try again")
    }
}
