package import YAML

/// An object as the server has it.
package struct LiveObject: Hashable, Sendable {
    /// All of it, `managedFields` too.
    package var node: Node

    package init(_ node: Node) { self.node = node }

    package var kind: String { node["kind"]?.text ?? "" }
    package var apiVersion: String { node["apiVersion"]?.text ?? "" }
    package var metadata: Node? { node["metadata"] }
    package var name: String { metadata?["name"]?.text ?? "" }
    package var namespace: String? { metadata?["namespace"]?.text }
    package var uid: String { metadata?["uid"]?.text ?? "" }
    package var resourceVersion: String { metadata?["resourceVersion"]?.text ?? "" }
    package var generation: Int { metadata?["generation"]?.intValue ?? 0 }
    package var isTerminating: Bool { metadata?["deletionTimestamp"] != nil }
    package var creationTimestamp: String? { metadata?["creationTimestamp"]?.text }
    package var spec: Node? { node["spec"] }
    package var status: Node? { node["status"] }
    package var labels: [String: String] { metadata?["labels"]?.strings ?? [:] }
    package var annotations: [String: String] { metadata?["annotations"]?.strings ?? [:] }
    /// `Kind/name`, as a plan and a message name it.
    package var identity: String { "\(kind)/\(name)" }

    /// The controller that made it: its kind, name and uid.
    package var controller: (kind: String, name: String, uid: String)? {
        for owner in metadata?["ownerReferences"]?.sequence ?? [] where owner["controller"]?.boolValue == true {
            return (owner["kind"]?.text ?? "", owner["name"]?.text ?? "", owner["uid"]?.text ?? "")
        }
        return nil
    }

    /// A condition of its status by type.
    package func condition(_ type: String) -> Node? {
        status?["conditions"]?.sequence?.first { $0["type"]?.text == type }
    }
}

extension Node {
    /// The value of a mapping's key; nil for anything else.
    package subscript(key: String) -> Node? {
        guard case .mapping(let mapping) = content else { return nil }
        return mapping[key]
    }

    /// A mapping of texts as a dictionary.
    package var strings: [String: String] {
        guard case .mapping(let mapping) = content else { return [:] }
        var result: [String: String] = [:]
        for entry in mapping.entries { result[entry.key] = entry.value.text }
        return result
    }
}
