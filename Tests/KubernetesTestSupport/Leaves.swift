import KubernetesClient
package import YAML

/// An object as its leaves by path: what field managers own.
struct Leaves {
    var values: [String: Node] = [:]

    init() {}

    init(_ node: Node) {
        add(node, "")
        // Nobody owns what names the object.
        for path in [
            "apiVersion", "kind", "metadata.name", "metadata.namespace", "metadata.resourceVersion", "metadata.uid",
            "metadata.generation",
        ] {
            values[path] = nil
        }
        for path in values.keys where path == "status" || path.hasPrefix("status.") { values[path] = nil }
    }

    private mutating func add(_ node: Node, _ path: String) {
        guard let mapping = node.mapping, !mapping.entries.isEmpty || path.isEmpty else {
            values[path] = node
            return
        }
        for entry in mapping.entries {
            let key = entry.key.replacing(".", with: "\u{1}")
            add(entry.value, path.isEmpty ? key : "\(path).\(key)")
        }
    }

    /// The leaves as an object again, with what no leaf holds taken from those that it was.
    func node(like old: Node, and wanted: Node) -> Node {
        var result = Node.map([])
        for source in [wanted, old] {
            for key in ["apiVersion", "kind", "status"] where result[key] == nil {
                if let value = source[key] { result = result.put([key], value) }
            }
            for key in ["name", "namespace", "resourceVersion", "uid", "generation"] {
                if let value = source["metadata"]?[key] { result = result.put(["metadata", key], value) }
            }
        }
        for (path, value) in values.sorted(by: { $0.key < $1.key }) {
            result = result.put(path.split(separator: ".").map { String($0.replacing("\u{1}", with: ".")) }, value)
        }
        return result
    }
}

extension Node {
    func at(_ path: String...) -> Node? { path.reduce(Optional(self)) { $0?[$1] } }

    package func put(_ path: [String], _ value: Node) -> Node {
        guard let first = path.first else { return value }
        var mapping = self.mapping ?? Mapping()
        mapping[first] = (mapping[first] ?? .map([])).put(Array(path.dropFirst()), value)
        return Node(.mapping(mapping))
    }

    func setting(_ path: [String], _ value: Node) -> Node { put(path, value) }

    /// Whether the leaves are the same.
    func sameContent(as other: Node) -> Bool {
        let (one, two) = (Leaves(self).values, Leaves(other).values)
        return one.count == two.count && one.allSatisfy { two[$0.key]?.means($0.value) ?? false }
    }
}
