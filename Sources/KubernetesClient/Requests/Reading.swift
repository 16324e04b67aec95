import YAML

/// Objects as they were at one moment.
package struct ObjectList: Sendable {
    package var items: [LiveObject]
    /// Where a watch goes on from.
    package var resourceVersion: String

    package init(items: [LiveObject], resourceVersion: String) {
        self.items = items
        self.resourceVersion = resourceVersion
    }
}

/// Which objects of a kind are meant.
package struct Selection: Hashable, Sendable {
    package var namespace: String?
    /// `app=web,tier!=front`
    package var labels: String?
    /// `metadata.name=web`
    package var fields: String?

    package init(namespace: String? = nil, labels: String? = nil, fields: String? = nil) {
        self.namespace = namespace
        self.labels = labels
        self.fields = fields
    }

    var query: [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        if let labels { query.append(("labelSelector", labels)) }
        if let fields { query.append(("fieldSelector", fields)) }
        return query
    }
}

extension KubernetesClient {
    /// The object, or nil where there is none.
    package func get(
        _ type: ResourceType, _ name: String, namespace: String? = nil
    ) async throws(KubernetesError) -> LiveObject? {
        do {
            return try await object(
                APIRequest(
                    .get, type.path(namespace: namespace, name: name), summary: "read \(type.kind)/\(name)"))
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// All objects of a kind that are meant, page by page; a page that has grown too old begins the list again.
    package func list(
        _ type: ResourceType, _ selection: Selection, pageSize: Int = 500
    ) async throws(KubernetesError) -> ObjectList {
        for attempt in 0... {
            do {
                return try await pages(type, selection, pageSize: pageSize)
            } catch {
                guard error.code == .expired, attempt < 3 else { throw error }
            }
        }
        return ObjectList(items: [], resourceVersion: "")
    }

    private func pages(
        _ type: ResourceType, _ selection: Selection, pageSize: Int
    ) async throws(KubernetesError) -> ObjectList {
        var items: [LiveObject] = []
        var token: String?
        while true {
            var query = selection.query + [("limit", "\(pageSize)")]
            if let token { query.append(("continue", token)) }
            let request = APIRequest(
                .get, type.path(namespace: selection.namespace), query: query, summary: "list \(type.resource)")
            let node = try read(try await connection.send(request), of: request)
            for var item in node["items"]?.sequence ?? [] {
                // A list's items lack what the list itself says of them.
                if item["kind"] == nil, case .mapping(var mapping) = item.content {
                    mapping["kind"] = .string(type.kind)
                    mapping["apiVersion"] = .string(type.apiVersion)
                    item.content = .mapping(mapping)
                }
                items.append(LiveObject(item))
            }
            token = node["metadata"]?["continue"]?.text.flatMap { $0.isEmpty ? nil : $0 }
            if token == nil {
                return ObjectList(items: items, resourceVersion: node["metadata"]?["resourceVersion"]?.text ?? "")
            }
        }
    }
}
