/// Collects the entries of a mapping: finds duplicate keys and applies merge keys.
///
/// Merge keys: https://yaml.org/type/merge.html. What the mapping itself says wins, then the earlier of several maps.
struct MappingBuilder {
    enum Key {
        case name(String)
        case merge
    }

    private struct Merge {
        /// How many entries stand before the merge key.
        var position: Int
        var keyMark: Mark
        var sources: [Mapping]
    }

    private var entries: [Mapping.Entry] = []
    private var index = KeyIndex()
    private var merge: Merge?

    mutating func append(_ key: Key, keyMark: Mark, value: Node, diagnostics: inout Diagnostics) {
        switch key {
        case .name(let name):
            if let earlier = index.insert(name, at: entries.count, in: entries) {
                diagnostics.error(
                    "the key `\(name)` is already defined on line \(entries[earlier].keyMark.line)", at: keyMark,
                    hint: "keep one of \(entries[earlier].keyMark) and \(keyMark)")
            } else {
                entries.append(Mapping.Entry(key: name, keyMark: keyMark, value: value))
            }
        case .merge: append(value, keyMark: keyMark, diagnostics: &diagnostics)
        }
    }

    private mutating func append(_ value: Node, keyMark: Mark, diagnostics: inout Diagnostics) {
        if let merge {
            diagnostics.error(
                "the merge key `<<` is already defined on line \(merge.keyMark.line)", at: keyMark,
                hint: "merge several maps with one key: `<<: [*a, *b]`")
            return
        }
        let nodes = value.sequence ?? [value]
        let sources = nodes.compactMap(\.mapping)
        if sources.count != nodes.count {
            diagnostics.error(
                "`<<` takes a map or a list of maps", at: value.mark, hint: "name anchored maps: `<<: *a`")
        }
        merge = Merge(position: entries.count, keyMark: keyMark, sources: sources)
    }

    /// The entries, with those of the merged maps where the merge key stood.
    func mapping() -> Mapping {
        guard let merge else { return Mapping(entries) }
        var taken = Set(entries.map(\.key))
        var merged: [Mapping.Entry] = []
        for source in merge.sources {
            for entry in source.entries where taken.insert(entry.key).inserted { merged.append(entry) }
        }
        return Mapping(Array(entries[..<merge.position]) + merged + Array(entries[merge.position...]))
    }
}

/// Finds a key among those before it: by a walk while they are few, then by hash.
private struct KeyIndex {
    private var positions: [String: Int] = [:]
    private static let walked = 12

    /// Records a key, or returns where it already stands.
    mutating func insert(_ key: String, at position: Int, in entries: [Mapping.Entry]) -> Int? {
        if position < Self.walked {
            // Through the index: to hand out an entry is to copy it.
            for index in entries.indices where entries[index].key == key { return index }
            return nil
        }
        if positions.isEmpty {
            for index in entries.indices { positions[entries[index].key] = index }
        }
        if let earlier = positions[key] { return earlier }
        positions[key] = position
        return nil
    }
}
