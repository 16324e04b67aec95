/// Where an encoder and its containers put what they are given.
final class EncodingSlot {
    private enum Kind {
        case nothing
        case single
        case sequence
        case mapping
    }

    // Plain properties, not payloads of the kind, so that an append is done in place.
    private var kind = Kind.nothing
    private var single: Node?
    private var items: [Node] = []
    private var entries: [Mapping.Entry] = []
    /// The items or values that a nested container still fills, by position.
    private var nested: [Int: EncodingSlot] = [:]

    init() {}

    var count: Int { items.count }

    /// What has been put here; an encoder that was given nothing stands for an empty mapping.
    func take() -> Node {
        for (position, slot) in nested {
            if kind == .sequence { items[position] = slot.take() } else { entries[position].value = slot.take() }
        }
        return switch kind {
        case .nothing: .map([])
        case .single: single ?? .map([])
        case .sequence: .list(items)
        case .mapping: Node(.mapping(Mapping(entries)))
        }
    }

    func put(_ node: Node) {
        kind = .single
        single = node
    }

    /// Makes this a sequence, unless it is one.
    func becomeSequence() { kind = .sequence }

    /// Makes this a mapping, unless it is one: a class and its parent may share it.
    func becomeMapping() { kind = .mapping }

    func append(_ node: Node) { items.append(node) }

    func append(_ slot: EncodingSlot) {
        nested[items.count] = slot
        items.append(.map([]))
    }

    /// Puts a key's value; a key that is put again is replaced.
    func append(_ key: String, _ node: Node) {
        if let index = position(of: key) {
            entries[index].value = node
            nested[index] = nil
        } else {
            entries.append(Mapping.Entry(key: key, value: node))
        }
    }

    func append(_ key: String, _ slot: EncodingSlot) {
        append(key, .map([]))
        nested[position(of: key) ?? 0] = slot
    }

    private func position(of key: String) -> Int? {
        // Through the index: to hand out an entry is to copy it.
        for index in entries.indices where entries[index].key == key { return index }
        return nil
    }
}
