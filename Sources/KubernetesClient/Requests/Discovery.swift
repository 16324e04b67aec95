import YAML

extension KubernetesClient {
    /// Every kind of object that a namespace of this cluster can hold and that can be listed, custom resources too, each in the version that its
    /// group prefers: https://kubernetes.io/docs/concepts/overview/kubernetes-api/#discovery-api
    ///
    /// - Throws: also where a group does not answer: what it holds is then unknown.
    package func namespacedTypes() async throws(KubernetesError) -> [ResourceType] {
        let groups = try await discover("/apis")["groups"]?.sequence ?? []
        var versions = [(group: "", version: "v1")]
        for group in groups {
            let name = group["name"]?.text ?? ""
            let preferred = group["preferredVersion"]?["version"]?.text
            let all = (group["versions"]?.sequence ?? []).compactMap { $0["version"]?.text }
            let ordered = (preferred.map { [$0] } ?? []) + all.filter { $0 != preferred }
            versions += ordered.map { (name, $0) }
        }
        var types: [ResourceType] = []
        var known: Set<[String]> = []
        for (group, version) in versions {
            let path = group.isEmpty ? "/api/\(version)" : "/apis/\(group)/\(version)"
            for type in try await discover(path)["resources"]?.sequence ?? [] {
                guard let found = Self.listable(type, group, version) else { continue }
                if known.insert([group, found.resource]).inserted { types.append(found) }
            }
        }
        return types
    }

    private func discover(_ path: String) async throws(KubernetesError) -> Node {
        let request = APIRequest(.get, path, summary: "ask what \(path) serves")
        return try read(try await connection.send(request), of: request)
    }

    /// Nil for what is not an object of a namespace, such as `pods/log`.
    private static func listable(_ node: Node, _ group: String, _ version: String) -> ResourceType? {
        guard let name = node["name"]?.text, !name.contains("/"), node["namespaced"]?.boolValue == true,
            node["verbs"]?.sequence?.contains(where: { $0.text == "list" }) == true
        else { return nil }
        return ResourceType(
            group: group, version: version, kind: node["kind"]?.text ?? name, resource: name)
    }
}
