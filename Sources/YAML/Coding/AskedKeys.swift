/// The keys that a type asked for, by the place of their mapping.
final class AskedKeys {
    private var keys: [Mark: Set<String>] = [:]

    func insert(_ key: String, of mapping: Node) { keys[mapping.mark, default: []].insert(key) }

    /// A mapping whose keys were listed: it takes any.
    func insertAll(of mapping: Node) {
        for entry in mapping.mapping?.entries ?? [] { insert(entry.key, of: mapping) }
    }

    func begin(_ mapping: Node) { _ = keys[mapping.mark, default: []] }

    func unknown(in node: Node) -> [Diagnostic] {
        switch node.content {
        case .scalar: return []
        case .sequence(let items): return items.flatMap(unknown)
        case .mapping(let mapping):
            guard let known = keys[node.mark] else { return [] }
            return mapping.entries.flatMap { entry in
                if known.contains(entry.key) { return unknown(in: entry.value) }
                let near = nearest(entry.key, in: known.sorted()).map { "did you mean `\($0)`?" }
                return [Diagnostic(.error, at: entry.keyMark, "the key `\(entry.key)` is unknown", hint: near)]
            }
        }
    }
}
