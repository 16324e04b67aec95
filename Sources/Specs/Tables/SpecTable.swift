import Compose
import OrderedCollections
import YAML

/// The keys of a section of spec.yml. What may be written, what is read, what is written again, the JSON Schema and the documentation all
/// come from the table: a key is one row.
struct SpecTable<Section>: Sendable {
    var keys: [SpecKey<Section>]
    /// What any other key means; nil: it is an error.
    var others: OtherKeys<Section>?

    init(_ keys: [SpecKey<Section>], others: OtherKeys<Section>? = nil) {
        self.keys = keys
        self.others = others
    }

    var shape: Shape { .fields(keys.map(\.field), others: others?.shape) }

    var names: Set<String> { Set(keys.map(\.field.name)) }

    /// Takes over what a validated mapping says.
    func read(_ node: Node, into section: inout Section, _ diagnostics: inout Diagnostics) {
        for key in keys {
            if let value = node.value(key.field.name) { key.read(value, &section, &diagnostics) }
        }
        guard let others else { return }
        let known = names
        for entry in node.mapping?.entries ?? [] where !known.contains(entry.key) {
            others.read(entry, &section, &diagnostics)
        }
    }

    /// The keys that say something, with their values.
    func pairs(_ section: Section) -> [(String, Node)] {
        keys.compactMap { key in key.write(section).map { (key.field.name, $0) } } + (others?.write(section) ?? [])
    }

    /// The table of a value that holds the section.
    func within<Whole>(_ path: any WritableKeyPath<Whole, Section> & Sendable) -> SpecTable<Whole> {
        SpecTable<Whole>(
            keys.map { key in
                SpecKey<Whole>(
                    field: key.field,
                    read: { node, whole, diagnostics in key.read(node, &whole[keyPath: path], &diagnostics) },
                    write: { key.write($0[keyPath: path]) })
            },
            others: others.map { others in
                OtherKeys<Whole>(
                    shape: others.shape,
                    read: { entry, whole, diagnostics in others.read(entry, &whole[keyPath: path], &diagnostics) },
                    write: { others.write($0[keyPath: path]) })
            })
    }
}

/// One key of a section: its name, its place in the value, how it is written, and what it does.
struct SpecKey<Section>: Sendable {
    var field: Field
    /// Takes over the key's value, which is not null.
    var read: @Sendable (Node, inout Section, inout Diagnostics) -> Void
    /// nil: the key is left out.
    var write: @Sendable (Section) -> Node?
}

extension SpecKey {
    /// A key whose value is there always: an empty list or map, and what the format does not write, is left out.
    init<Value>(
        _ name: String, _ path: any WritableKeyPath<Section, Value> & Sendable, _ format: ValueFormat<Value>,
        required isRequired: Bool = false, _ summary: String
    ) {
        field = Field(name, format.shape, required: isRequired, summary)
        read = { node, section, diagnostics in
            if let value = format.decode(node, &diagnostics) { section[keyPath: path] = value }
        }
        write = { section in
            format.encode(section[keyPath: path]).flatMap { isRequired || !$0.isEmptyCollection ? $0 : nil }
        }
    }

    /// A key whose value may be absent.
    init<Value>(
        _ name: String, optional path: any WritableKeyPath<Section, Value?> & Sendable, _ format: ValueFormat<Value>,
        required isRequired: Bool = false, _ summary: String
    ) {
        field = Field(name, format.shape, required: isRequired, summary)
        read = { node, section, diagnostics in section[keyPath: path] = format.decode(node, &diagnostics) }
        write = { $0[keyPath: path].flatMap(format.encode) }
    }

    /// A key with keys below it that belong to the same value.
    init(_ name: String, _ table: SpecTable<Section>, _ summary: String) {
        field = Field(name, table.shape, summary)
        read = { node, section, diagnostics in table.read(node, into: &section, &diagnostics) }
        write = { section in
            let pairs = table.pairs(section)
            return pairs.isEmpty ? nil : .map(pairs)
        }
    }
}

/// Keys that are names of the user's: services, volumes.
struct OtherKeys<Section>: Sendable {
    var shape: Shape
    var read: @Sendable (Mapping.Entry, inout Section, inout Diagnostics) -> Void
    var write: @Sendable (Section) -> [(String, Node)]
}

extension OtherKeys {
    init<Value>(
        _ path: any WritableKeyPath<Section, OrderedDictionary<String, Value>> & Sendable, _ format: ValueFormat<Value>
    ) {
        shape = format.shape
        read = { entry, section, diagnostics in
            section[keyPath: path][entry.key] = format.decode(entry.value, &diagnostics)
        }
        write = { section in
            section[keyPath: path].compactMap { key, value in
                format.encode(value).flatMap { $0.isEmptyCollection ? nil : (key, $0) }
            }
        }
    }
}

extension Node {
    fileprivate var isEmptyCollection: Bool {
        switch content {
        case .scalar: false
        case .sequence(let items): items.isEmpty
        case .mapping(let mapping): mapping.entries.isEmpty
        }
    }
}
