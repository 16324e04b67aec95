import YAML

/// What `!reset` and `!override` ask for: the values to drop from what was loaded before.
struct DroppedPaths {
    private(set) var paths: [[String]] = []

    /// Takes the tags out of a document: a `!reset` value goes, an `!override` value stays, and both drop what they stand for.
    mutating func take(from node: Node, state: LoadState) -> Node? {
        // Most documents have no tags, and need not be built again.
        guard Self.hasTags(node) else { return node }
        var path: [String] = []
        return take(from: node, path: &path, state: state)
    }

    private static func hasTags(_ node: Node) -> Bool {
        if node.tag != nil { return true }
        switch node.content {
        case .scalar: return false
        case .sequence(let items): return items.contains(where: hasTags)
        case .mapping(let mapping):
            for index in mapping.entries.indices where hasTags(mapping.entries[index].value) { return true }
            return false
        }
    }

    private mutating func take(from node: Node, path: inout [String], state: LoadState) -> Node? {
        switch node.tag {
        case "!reset":
            paths.append(path)
            return nil
        case "!override":
            paths.append(path)
            return withoutTags(node)
        case let tag?: state.warning("the tag \(tag) is not known to compose", at: node.mark, hint: "remove it")
        case nil: break
        }
        switch node.content {
        case .scalar: return node
        case .sequence(let items):
            var kept: [Node] = []
            for (position, item) in items.enumerated() {
                path.append(String(position))
                if let item = take(from: item, path: &path, state: state) { kept.append(item) }
                path.removeLast()
            }
            return Node(.sequence(kept), mark: node.mark)
        case .mapping(let mapping):
            var kept: [Mapping.Entry] = []
            kept.reserveCapacity(mapping.entries.count)
            for var entry in mapping.entries {
                path.append(entry.key)
                if let value = take(from: entry.value, path: &path, state: state) {
                    entry.value = value
                    kept.append(entry)
                }
                path.removeLast()
            }
            return Node(.mapping(Mapping(kept)), mark: node.mark)
        }
    }

    private func withoutTags(_ node: Node) -> Node {
        switch node.content {
        case .scalar: return Node(node.content, mark: node.mark)
        case .sequence(let items): return Node(.sequence(items.map(withoutTags)), mark: node.mark)
        case .mapping(var mapping):
            for index in mapping.entries.indices {
                mapping.entries[index].value = withoutTags(mapping.entries[index].value)
            }
            return Node(.mapping(mapping), mark: node.mark)
        }
    }

    /// Drops the values from what was loaded before. Items of lists stay.
    func drop(from node: Node) -> Node {
        paths.reduce(node) { Self.drop($1[...], from: $0) ?? Node(.mapping(Mapping()), mark: $0.mark) }
    }

    /// Drops the values under `services.<name>` from a service that is extended.
    func drop(fromService name: String, _ node: Node) -> Node {
        paths.filter { $0.count > 2 && $0[0] == "services" && $0[1] == name }
            .reduce(node) { Self.drop($1[2...], from: $0) ?? $0 }
    }

    /// Drops the values under `<section>.<name>` from what an include brought; nil if that is all of it.
    func drop(from section: String, _ name: String, _ node: Node) -> Node? {
        var result = node
        for path in paths where path.count >= 2 && path[0] == section && path[1] == name {
            guard let rest = Self.drop(path[2...], from: result) else { return nil }
            result = rest
        }
        return result
    }

    private static func drop(_ path: ArraySlice<String>, from node: Node) -> Node? {
        guard let key = path.first else { return nil }
        guard var mapping = node.mapping, let index = mapping.entries.firstIndex(where: { $0.key == key }) else {
            return node
        }
        if let value = drop(path.dropFirst(), from: mapping.entries[index].value) {
            mapping.entries[index].value = value
        } else {
            mapping.entries.remove(at: index)
        }
        return Node(.mapping(mapping), tag: node.tag, mark: node.mark)
    }
}
