import YAML

/// Writes a prepared model as a tree of the form that docker compose prints.
struct CanonicalPrinter {
    let format: CanonicalOptions.Format

    /// The whole project.
    func project(_ model: Node) -> Node {
        let mapping = model.mapping ?? Mapping()
        var entries: [Mapping.Entry] = []
        if let name = mapping["name"] { entries.append(Mapping.Entry(key: "name", value: name)) }
        entries.append(Mapping.Entry(key: "services", value: services(mapping["services"])))
        for (key, type) in CanonicalType.sections {
            guard let value = mapping[key].flatMap({ node($0, type) }) else { continue }
            entries.append(Mapping.Entry(key: key, value: value))
        }
        entries += extensions(mapping)
        return Node(.mapping(Mapping(format == .json ? entries.sorted { $0.key < $1.key } : entries)))
    }

    private func services(_ node: Node?) -> Node {
        var entries = node?.mapping?.entries ?? []
        for index in entries.indices { entries[index].value = service(entries[index].value) ?? .map([]) }
        return Node(.mapping(Mapping(sorted(entries))))
    }

    /// One service.
    func service(_ node: Node) -> Node? { self.node(node, .service) }

    /// A value by its type; nil where it is left out.
    func node(_ node: Node, _ type: CanonicalType) -> Node? {
        switch type {
        case .list(let item):
            if node.isNull { return nil }
            let items = (node.sequence ?? [node]).compactMap { self.node($0, item) }
            return items.isEmpty ? nil : .list(items)
        case .map(let child): return map(node, child)
        case .nullable(let child): return node.isNull ? .plain("null") : self.node(node, child)
        case .fields(let fields, let emptiness): return self.fields(node, fields, emptiness)
        case .verbatim: return node.isNull ? nil : verbatim(node)
        case .hosts: return hosts(node)
        case .agents: return agents(node)
        case .ulimit: return ulimit(node)
        case .command: return command(node)
        case .test: return test(node)
        default: return node.isNull && !isKept(type) ? nil : CanonicalScalar(node)?.node(type)
        }
    }

    private func isKept(_ type: CanonicalType) -> Bool {
        if case .entry = type { true } else { false }
    }

    private func map(_ node: Node, _ child: CanonicalType) -> Node? {
        let entries = (node.mapping?.entries ?? []).compactMap { entry in
            self.node(entry.value, child).map { Mapping.Entry(key: entry.key, value: $0) }
        }
        return entries.isEmpty ? nil : Node(.mapping(Mapping(sorted(entries))))
    }

    private func fields(
        _ node: Node, _ fields: [(String, CanonicalType)], _ emptiness: CanonicalType.Emptiness
    ) -> Node? {
        let mapping = node.mapping ?? Mapping()
        var entries: [Mapping.Entry] = []
        for (key, type) in fields {
            guard let value = field(mapping[key], type) else { continue }
            entries.append(Mapping.Entry(key: key, value: value))
        }
        // Of extensions, docker compose prints only the project's own as JSON.
        if format == .yaml { entries += extensions(mapping) }
        if entries.isEmpty, emptiness == .omitted || (emptiness == .keptInJSON && format == .yaml) { return nil }
        return Node(.mapping(Mapping(entries)))
    }

    private func field(_ value: Node?, _ type: CanonicalType) -> Node? {
        if let value { return node(value, type) }
        guard format == .json else { return nil }
        switch type {
        case .fields(_, .keptInJSON): return node(.map([]), type)
        // An empty list would clear the image's.
        case .command: return .plain("null")
        default: return nil
        }
    }

    private func extensions(_ mapping: Mapping) -> [Mapping.Entry] {
        let entries = mapping.entries.filter { $0.key.hasPrefix("x-") }
        return sorted(entries.map { Mapping.Entry(key: $0.key, value: verbatim($0.value)) })
    }

    /// A value in the files' own form: keys sorted, numbers in decimal.
    func verbatim(_ node: Node) -> Node {
        switch node.content {
        case .scalar: return CanonicalScalar(node)?.plain ?? node
        case .sequence(let items): return .list(items.map(verbatim))
        case .mapping(let mapping):
            let entries = mapping.entries.map { Mapping.Entry(key: $0.key, value: verbatim($0.value)) }
            return Node(.mapping(Mapping(sorted(entries))))
        }
    }

    func sorted(_ entries: [Mapping.Entry]) -> [Mapping.Entry] {
        format == .json
            ? entries.sorted { $0.key < $1.key } : entries.sorted { NaturalOrder.isBefore($0.key, $1.key) }
    }
}
