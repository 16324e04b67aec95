/// One value of a YAML document, with its tag and place.
///
/// Anchors, aliases and merge keys are resolved by ``loadYAML(_:file:limits:)``: a node is a plain tree. Mappings keep
/// the order of the document; a duplicate key never reaches a node.
package struct Node: Sendable, Hashable {
    /// What a node holds.
    package enum Content: Sendable, Hashable {
        case scalar(Scalar)
        case sequence([Node])
        case mapping(Mapping)
    }

    package var content: Content
    /// A local tag as written, such as `!reset` or `!override`; nil for the core schema's own tags.
    package var tag: String?
    package var mark: Mark

    package init(_ content: Content, tag: String? = nil, mark: Mark = .generated) {
        self.content = content
        self.tag = tag
        self.mark = mark
    }
}

extension Mark {
    /// The place of a value that no file holds.
    package static let generated = Mark(file: "(generated)")
}

/// A scalar: its text, and whether it was quoted (a quoted or block scalar is always a string).
package struct Scalar: Sendable, Hashable {
    /// The text after unescaping and folding.
    package var text: String
    /// Whether the document wrote it plain, so that it may be a null, bool or number.
    package var isPlain: Bool

    package init(text: String, isPlain: Bool) {
        self.text = text
        self.isPlain = isPlain
    }
}

/// An ordered mapping with string keys.
package struct Mapping: Sendable, Hashable {
    /// One key with its place, and its value.
    package struct Entry: Sendable, Hashable {
        package var key: String
        package var keyMark: Mark
        package var value: Node

        package init(key: String, keyMark: Mark = .generated, value: Node) {
            self.key = key
            self.keyMark = keyMark
            self.value = value
        }
    }

    package var entries: [Entry]

    package init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    /// Where a key stands among the entries.
    package func position(of key: String) -> Int? {
        // Through the index: to hand out an entry is to copy it.
        for index in entries.indices where entries[index].key == key { return index }
        return nil
    }

    /// The value of a key; assigning nil removes it, assigning a new key appends it.
    package subscript(key: String) -> Node? {
        get { position(of: key).map { entries[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append(Entry(key: key, keyMark: value.mark, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The place of a key.
    package func keyMark(_ key: String) -> Mark? { position(of: key).map { entries[$0].keyMark } }
}

extension Node {
    /// The scalar, if this node is one.
    package var scalar: Scalar? {
        if case .scalar(let scalar) = content { scalar } else { nil }
    }

    /// The items, if this node is a sequence.
    package var sequence: [Node]? {
        if case .sequence(let items) = content { items } else { nil }
    }

    /// The mapping, if this node is one.
    package var mapping: Mapping? {
        if case .mapping(let mapping) = content { mapping } else { nil }
    }

    /// The scalar's text whatever its type: `5432`, `yes` and `22:22` as they stand.
    package var text: String? { scalar?.text }

    /// A string scalar that is quoted on emission where another reader could take it for something else.
    package static func string(_ text: String, mark: Mark = .generated) -> Node {
        Node(.scalar(Scalar(text: text, isPlain: false)), mark: mark)
    }

    /// A scalar that is emitted as it stands: a number, bool or null.
    package static func plain(_ text: String, mark: Mark = .generated) -> Node {
        Node(.scalar(Scalar(text: text, isPlain: true)), mark: mark)
    }

    /// A mapping of the pairs, in order.
    package static func map(_ pairs: [(String, Node)]) -> Node {
        Node(.mapping(Mapping(pairs.map { Mapping.Entry(key: $0.0, value: $0.1) })))
    }

    /// A sequence of the items.
    package static func list(_ items: [Node]) -> Node { Node(.sequence(items)) }
}
