package import YAML

/// What becomes of an object's dependants when it is deleted.
package enum Propagation: String, Hashable, Sendable {
    /// The object goes at once, its dependants after it.
    case background = "Background"
    /// The object stays, marked, until its dependants have gone.
    case foreground = "Foreground"
    case orphan = "Orphan"
}

extension KubernetesClient {
    /// Server-side apply: makes the object, or makes these fields of it so, and lets go of those that it no longer names.
    ///
    /// - Parameters:
    ///   - force: takes over fields that another manager owns.
    ///   - isDryRun: changes nothing; returns the object as it would be.
    /// - Throws: `conflict` with the other managers in the status, where it is not forced.
    package func apply(
        _ node: Node, force: Bool = false, isDryRun: Bool = false
    ) async throws(KubernetesError) -> LiveObject {
        let object = LiveObject(node)
        let type = try type(of: object)
        var query = [("fieldManager", Self.fieldManager), ("fieldValidation", "Strict")]
        if force { query.append(("force", "true")) }
        if isDryRun { query.append(("dryRun", "All")) }
        return try await self.object(
            APIRequest(
                .patch, type.path(namespace: object.namespace, name: object.name),
                query: query.map { (name: $0.0, value: $0.1) }, contentType: "application/apply-patch+yaml",
                body: Array(node.json().utf8), repeatability: .always, summary: "apply \(object.identity)"))
    }

    /// Makes an object that must not exist yet.
    ///
    /// - Throws: `alreadyExists`.
    package func create(_ node: Node) async throws(KubernetesError) -> LiveObject {
        let object = LiveObject(node)
        let type = try type(of: object)
        return try await self.object(
            APIRequest(
                .post, type.path(namespace: object.namespace),
                query: [("fieldManager", Self.fieldManager), ("fieldValidation", "Strict")],
                body: Array(node.json().utf8),
                summary: "create \(object.identity)"))
    }

    /// A JSON merge patch; with `metadata.resourceVersion` in it, only of the object as it was read.
    ///
    /// - Parameter manager: who owns the fields from now on; an apply leaves those of another manager alone.
    package func mergePatch(
        _ type: ResourceType, _ name: String, namespace: String?, _ patch: Node, manager: String = fieldManager
    ) async throws(KubernetesError) -> LiveObject {
        try await object(
            APIRequest(
                .patch, type.path(namespace: namespace, name: name), query: [("fieldManager", manager)],
                contentType: "application/merge-patch+json", body: Array(patch.json().utf8),
                summary: "change \(type.kind)/\(name)"))
    }

    /// Deletes an object; returns whether there was one.
    ///
    /// - Parameters:
    ///   - uid: only the object with this uid: one of the same name made since stays.
    ///   - graceSeconds: instead of the object's own grace.
    @discardableResult
    package func delete(
        _ type: ResourceType, _ name: String, namespace: String?, propagation: Propagation = .background,
        uid: String? = nil, graceSeconds: Int? = nil
    ) async throws(KubernetesError) -> Bool {
        var options: [(String, Node)] = [("propagationPolicy", .string(propagation.rawValue))]
        if let uid { options.append(("preconditions", .map([("uid", .string(uid))]))) }
        if let graceSeconds { options.append(("gracePeriodSeconds", .plain("\(graceSeconds)"))) }
        do {
            _ = try await connection.send(
                APIRequest(
                    .delete, type.path(namespace: namespace, name: name), body: Array(Node.map(options).json().utf8),
                    summary: "delete \(type.kind)/\(name)"))
            return true
        } catch {
            if error.code == .notFound { return false }
            // Another uid: what was to be deleted has gone.
            if error.code == .conflict, uid != nil { return false }
            throw error
        }
    }

    func type(of object: LiveObject) throws(KubernetesError) -> ResourceType {
        guard let type = ResourceType.of(apiVersion: object.apiVersion, kind: object.kind) else {
            throw KubernetesError(.invalid, "\(object.apiVersion) \(object.kind) is not a kind that so knows")
        }
        return type
    }
}
