import OrderedCollections
import YAML

/// The places of the keys that a service or another object sets.
final class KeyMarks {
    var marks: [String: Mark]

    init(capacity: Int = 0) { marks = Dictionary(minimumCapacity: capacity) }
}

/// Reads the keys of one mapping; what nobody reads is an unknown key.
struct Fields {
    let state: LoadState
    /// The dotted path of the mapping, for messages.
    let path: String
    let mark: Mark
    /// Where the keys' places are noted, and what stands before them.
    private let keys: KeyMarks?
    private let prefix: String
    private let entries: [Mapping.Entry]
    private let index: MappingIndex
    private var isTaken: [Bool]
    private var asked: [String] = []

    /// - Parameter node: a mapping or null; anything else is reported.
    init(_ node: Node, path: String, state: LoadState, keys: KeyMarks? = nil, prefix: String = "") {
        self.state = state
        self.path = path
        self.keys = keys
        self.prefix = prefix
        mark = node.mark
        if node.mapping == nil, !node.isNull {
            state.error("`\(path)` must be a mapping", at: node.mark, hint: "write `key: value` lines under it")
        }
        let mapping = node.mapping ?? Mapping()
        entries = mapping.entries
        index = MappingIndex(mapping)
        isTaken = Array(repeating: false, count: entries.count)
        asked.reserveCapacity(16)
    }

    /// The value of a key; nil if the key is absent or null.
    mutating func node(_ key: String) -> Node? {
        asked.append(key)
        guard let position = index.position(of: key, in: Mapping(entries)) else { return nil }
        isTaken[position] = true
        let entry = entries[position]
        if entry.value.isNull { return nil }
        keys?.marks[prefix.isEmpty ? key : "\(prefix).\(key)"] = entry.keyMark
        return entry.value
    }

    /// The keys of a mapping under a key.
    mutating func fields(_ key: String) -> Fields? {
        guard let node = node(key) else { return nil }
        guard node.mapping != nil else {
            wrongKind(key, node, "a mapping")
            return nil
        }
        return Fields(
            node, path: "\(path).\(key)", state: state, keys: keys, prefix: prefix.isEmpty ? key : "\(prefix).\(key)")
    }

    /// The `x-*` keys.
    mutating func extensions() -> OrderedDictionary<String, Node> {
        var result: OrderedDictionary<String, Node> = [:]
        for (position, entry) in entries.enumerated() where entry.key.hasPrefix("x-") {
            isTaken[position] = true
            result[entry.key] = entry.value
        }
        return result
    }

    /// Reports every key that was not read; `x-*` keys are free.
    func finish() {
        for (position, entry) in entries.enumerated() where !isTaken[position] && !entry.key.hasPrefix("x-") {
            let place = path.isEmpty ? "at the top level" : "in `\(path)`"
            let near = nearest(entry.key, in: asked)
            state.error(
                "unknown key `\(entry.key)` \(place)", at: entry.keyMark,
                hint: oldForm(entry) ?? near.map { "did you mean `\($0)`?" } ?? "remove it, or begin its name with x-")
        }
    }

    /// Files of before 2016 have services where sections stand now.
    private func oldForm(_ entry: Mapping.Entry) -> String? {
        guard path.isEmpty, let mapping = entry.value.mapping, mapping["image"] != nil || mapping["build"] != nil else {
            return nil
        }
        return "a service belongs under `services:`"
    }

    func wrongKind(_ key: String, _ node: Node, _ expected: String, hint: String? = nil) {
        state.error("`\(path).\(key)` must be \(expected), not \(kind(of: node))", at: node.mark, hint: hint)
    }
}

/// What a node is, as a user would say it.
func kind(of node: Node) -> String {
    switch node.content {
    case .mapping: return "a mapping"
    case .sequence: return "a list"
    case .scalar(let scalar):
        switch scalar.value {
        case .null: return "nothing"
        case .bool: return "a truth value"
        case .int, .float: return "a number"
        case .string: return "a text"
        }
    }
}
