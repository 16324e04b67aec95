import YAML

extension LoadState {
    /// Lays one tree over another; both are in canonical form.
    func merge(_ base: Node, _ over: Node, _ shape: MergeShape, path: String) -> Node {
        if case .replaced = shape { return over }
        if over.isNull { return base }
        if base.isNull { return over }
        switch (base.content, over.content) {
        case (.mapping(let first), .mapping(let second)):
            return mergeMappings(base, first, over, second, shape, path: path)
        case (.sequence(let first), .sequence(let second)):
            return mergeLists(base, first, second, shape, path: path)
        case (.scalar, _): return over
        default:
            error(
                "`\(path)` is a \(kindName(over)) here and a \(kindName(base)) at \(base.mark)", at: over.mark,
                hint: "write both in the same form, or put !override before this one")
            return base
        }
    }

    private func mergeMappings(
        _ base: Node, _ first: Mapping, _ over: Node, _ second: Mapping, _ shape: MergeShape, path: String
    ) -> Node {
        if case .logging = shape, let old = first["driver"]?.text, let new = second["driver"]?.text, old != new {
            return over
        }
        var merged = first
        let index = MappingIndex(first)
        for entry in second.entries {
            guard let position = index.position(of: entry.key, in: first) else {
                merged.entries.append(entry)
                continue
            }
            let child = shape.child(entry.key)
            let value = merge(first.entries[position].value, entry.value, child, path: joined(path, entry.key))
            merged.entries[position].value = value
            if case .replaced = child {
                merged.entries[position].keyMark = entry.keyMark
            } else if !entry.value.isNull {
                merged.entries[position].keyMark = entry.keyMark
            }
        }
        return Node(.mapping(merged), mark: base.mark)
    }

    private func mergeLists(_ base: Node, _ first: [Node], _ second: [Node], _ shape: MergeShape, path: String) -> Node
    {
        let items: [Node]
        switch shape {
        case .list(_, let identity): items = unique(first + second, by: identity)
        case .extraHosts: items = unique(first + second, by: .text)
        case .pools: items = mergePools(first, second, path: path)
        default: items = first + second
        }
        return Node(.sequence(items), mark: base.mark)
    }

    private func mergePools(_ first: [Node], _ second: [Node], path: String) -> [Node] {
        var pools = first
        for pool in second {
            let subnet = pool.mapping?["subnet"]?.text
            let position = pools.firstIndex { $0.mapping?["subnet"]?.text == subnet }
            if let subnet, !subnet.isEmpty, let position {
                pools[position] = merge(pools[position], pool, .plain, path: path)
            } else {
                pools.append(pool)
            }
        }
        return pools
    }

    /// The items without those that a later one of the same identity replaces; the place is the first one's.
    func unique(_ items: [Node], by identity: ItemIdentity?) -> [Node] {
        guard let identity, items.count > 1 else { return items }
        var places: [String: Int] = [:]
        var result: [Node] = []
        for item in items {
            guard let key = identity.key(of: item) else {
                result.append(item)
                continue
            }
            if let place = places[key] {
                result[place] = item
            } else {
                places[key] = result.count
                result.append(item)
            }
        }
        return result
    }

    private func kindName(_ node: Node) -> String {
        switch node.content {
        case .scalar: "value"
        case .sequence: "list"
        case .mapping: "mapping"
        }
    }
}

/// The dotted path of a key.
func joined(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

extension MergeShape {
    /// The shape of the value under a key.
    func child(_ key: String) -> MergeShape {
        switch self {
        case .fields(let shapes, _), .logging(let shapes), .pools(let shapes), .resource(let shapes):
            shapes[key] ?? .plain
        case .dictionary(let shape), .named(let shape, _): shape
        // A bare key takes its value from elsewhere, whatever an earlier file gave it.
        case .keyValues: .replaced
        default: .plain
        }
    }
}

/// Finds the keys of a mapping; large ones by hashing.
struct MappingIndex {
    private let positions: [String: Int]?

    init(_ mapping: Mapping) {
        guard mapping.entries.count > 12 else {
            positions = nil
            return
        }
        var positions = [String: Int](minimumCapacity: mapping.entries.count)
        for index in mapping.entries.indices { positions[mapping.entries[index].key] = index }
        self.positions = positions
    }

    func position(of key: String, in mapping: Mapping) -> Int? {
        if let positions { return positions[key] }
        for index in mapping.entries.indices where mapping.entries[index].key == key { return index }
        return nil
    }
}
