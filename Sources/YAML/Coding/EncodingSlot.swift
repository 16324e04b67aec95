/// Where an encoder and its containers put what they are given.
final class EncodingSlot {
    /// A value that is complete, or one that a nested container still fills.
    enum Item {
        case node(Node)
        case slot(EncodingSlot)

        var node: Node {
            switch self {
            case .node(let node): node
            case .slot(let slot): slot.node
            }
        }
    }

    enum Content {
        case nothing
        case single(Node)
        case items([Item])
        case entries([(key: String, item: Item)])
    }

    private var content = Content.nothing

    init() {}

    /// What has been put here; an encoder that was given nothing stands for an empty mapping.
    var node: Node {
        switch content {
        case .nothing: .map([])
        case .single(let node): node
        case .items(let items): .list(items.map(\.node))
        case .entries(let entries):
            Node(.mapping(Mapping(entries.map { Mapping.Entry(key: $0.key, value: $0.item.node) })))
        }
    }

    var count: Int { if case .items(let items) = content { items.count } else { 0 } }

    func put(_ node: Node) { content = .single(node) }

    /// Makes this a sequence, unless it is one.
    func becomeItems() {
        if case .items = content { return }
        content = .items([])
    }

    /// Makes this a mapping, unless it is one: a class and its parent may share it.
    func becomeEntries() {
        if case .entries = content { return }
        content = .entries([])
    }

    func append(_ item: Item) {
        guard case .items(var items) = content else { return }
        content = .nothing
        items.append(item)
        content = .items(items)
    }

    /// Puts a key's value; a key that is put again is replaced.
    func append(_ key: String, _ item: Item) {
        guard case .entries(var entries) = content else { return }
        content = .nothing
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].item = item
        } else {
            entries.append((key, item))
        }
        content = .entries(entries)
    }
}
