import Specs
package import YAML

/// Where the keys of orchestrator.yml stand, for what is found out about their values later.
package struct ConfigurationPlaces: Hashable, Sendable {
    private var marks: [String: Mark] = [:]
    private let file: Mark

    init(_ node: Node, file: String) {
        self.file = Mark(file: file)
        add(node, at: "")
    }

    private mutating func add(_ node: Node, at path: String) {
        if !path.isEmpty { marks[path] = node.mark }
        for entry in node.mapping?.entries ?? [] {
            add(entry.value, at: path.isEmpty ? entry.key : "\(path).\(entry.key)")
        }
        for (index, item) in (node.sequence ?? []).enumerated() { add(item, at: "\(path)[\(index)]") }
    }

    /// The place of a key such as `forge.token-file` or `projects[0].agent`; of what it would stand in, where it has its default.
    package subscript(path: String) -> Mark {
        var path = path[...]
        while true {
            if let mark = marks[String(path)] { return mark }
            guard let dot = path.lastIndex(where: { $0 == "." || $0 == "[" }) else { return file }
            path = path[..<dot]
        }
    }
}
