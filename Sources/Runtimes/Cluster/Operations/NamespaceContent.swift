import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

/// What a namespace holds beside a deployment, of whatever kind.
struct NamespaceContent: Sendable {
    let session: ClusterSession
    let observed: ClusterObserved

    /// What others put there, as `Kind/name`; what Kubernetes puts into every namespace, and what goes with an object that is named, does not count.
    ///
    /// - Throws: ``DeploymentError`` (`notPermitted`) where a kind may not be looked at. What so makes from memory has a namespace for itself, with a
    ///   name that nobody knew before: there the account of least rights, which may list what it makes alone, says enough.
    func foreign() async throws(DeploymentError) -> [String] {
        let types = try await session.call { () async throws(KubernetesError) in
            try await session.client.namespacedTypes()
        }.filter { !Self.isVirtual($0) }
        let lists = try await session.each(types) { type async throws(DeploymentError) in try await list(type) }
        let unseen = lists.compactMap(\.unseen).sorted()
        guard unseen.isEmpty || !session.model.hasVerbs else {
            throw DeploymentError(
                .notPermitted,
                "whether the namespace \(session.namespace) holds anything of others is unknown: this kubeconfig may not "
                    + "list \(unseen.joined(separator: ", "))",
                hint: "ask somebody with the permission, or check its contents and run: kubectl delete namespace "
                    + session.namespace)
        }
        return lists.flatMap(\.names).sorted()
    }

    /// What a list of one kind came to.
    private struct Found: Sendable {
        var names: [String] = []
        /// The kind, where it may not be listed.
        var unseen: String?
    }

    private func list(_ type: ResourceType) async throws(DeploymentError) -> Found {
        do {
            let objects = try await session.client.list(type, Selection(namespace: session.namespace)).items
            return Found(names: objects.filter { isForeign($0, type) }.map { "\(type.kind)/\($0.name)" })
        } catch {
            switch error.code {
            // The kind went away meanwhile, or its server lists it nowhere.
            case .notFound: return Found()
            case .forbidden: return Found(unseen: type.group.isEmpty ? type.resource : "\(type.resource).\(type.group)")
            default: throw DeploymentError(error)
            }
        }
    }

    private func isForeign(_ object: LiveObject, _ type: ResourceType) -> Bool {
        if observed.isOwn(object, session.model) || object.isTerminating { return false }
        // It goes with its owner, which is looked at itself.
        if !(object.metadata?["ownerReferences"]?.sequence ?? []).isEmpty { return false }
        switch (type.group, type.resource) {
        case ("", "serviceaccounts"): return !Self.accounts.contains(object.name)
        case ("", "endpoints"): return !isOfService(object)
        case ("", "configmaps"): return !Self.isPublished(object)
        case ("", "secrets"): return !Self.isDerived(object)
        case ("rbac.authorization.k8s.io", _): return !object.name.hasPrefix("system:")
        default: return true
        }
    }

    /// What tells of other objects, or of nothing that lasts: events, leases, measurements, catalogues that show up in every namespace.
    private static func isVirtual(_ type: ResourceType) -> Bool {
        if type.resource == "events" || type.group == "coordination.k8s.io" { return true }
        return type.group == "metrics.k8s.io" || type.group.hasSuffix(".metrics.k8s.io")
            || type.group == "packages.operators.coreos.com"
    }

    /// Kubernetes' own, and those that OpenShift adds to every namespace.
    private static let accounts: Set = ["default", "builder", "deployer"]

    /// The cluster makes them for each Service, under its name; newer ones mark them.
    private func isOfService(_ endpoints: LiveObject) -> Bool {
        let key = ObjectKey(.services, endpoints.name, namespace: session.namespace)
        return observed.objects[key] != nil || endpoints.labels["endpoints.kubernetes.io/managed-by"] != nil
    }

    /// Clusters and meshes publish their certificates in every namespace: kube-root-ca.crt, istio-ca-root-cert, openshift-service-ca.crt.
    private static func isPublished(_ map: LiveObject) -> Bool {
        if ["kube-root-ca.crt", "openshift-service-ca.crt"].contains(map.name) { return true }
        guard let values = map.node["data"]?.strings.values, !values.isEmpty, map.node["binaryData"] == nil else {
            return false
        }
        return values.allSatisfy { $0.hasPrefix("-----BEGIN CERTIFICATE-----") }
    }

    /// Made for another object: a token of an account of every namespace, a certificate of cert-manager's.
    private static func isDerived(_ secret: LiveObject) -> Bool {
        let notes = secret.annotations
        if let account = notes["kubernetes.io/service-account.name"] { return accounts.contains(account) }
        return notes["cert-manager.io/certificate-name"] != nil
    }
}
