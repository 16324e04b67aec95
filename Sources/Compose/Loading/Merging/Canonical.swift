import YAML

extension LoadState {
    /// Brings a tree into the one form that merging and decoding know; what is malformed stays for decoding to report, save
    /// short forms of ports and volumes, which are reported here.
    func canonical(_ node: Node, _ shape: MergeShape, path: String) -> Node {
        switch shape {
        case .plain, .replaced: return node
        case .list(let form, let identity): return canonicalList(node, form, identity, path: path)
        case .keyValues: return canonicalKeyValues(node, path: path)
        case .named(let child, let defaults): return canonicalNames(node, child, defaults, path: path)
        case .dictionary(let child): return mapValues(node) { canonical($1, child, path: joined(path, $0)) }
        case .fields(let shapes, let short):
            return canonicalFields(node, shapes, short: short, path: path)
        case .logging(let shapes), .pools(let shapes): return canonicalFields(node, shapes, short: nil, path: path)
        case .resource(let shapes):
            return canonicalExternal(canonicalFields(node, shapes, short: nil, path: path), path: path)
        case .extraHosts: return canonicalHosts(node)
        }
    }

    private func mapValues(_ node: Node, _ transform: (String, Node) -> Node) -> Node {
        guard case .mapping(var mapping) = node.content else { return node }
        for index in mapping.entries.indices {
            mapping.entries[index].value = transform(mapping.entries[index].key, mapping.entries[index].value)
        }
        return Node(.mapping(mapping), tag: node.tag, mark: node.mark)
    }

    private func canonicalFields(_ node: Node, _ shapes: [String: MergeShape], short: String?, path: String) -> Node {
        if let short, node.scalar != nil, !node.isNull { return single(short, node) }
        return mapValues(node) { key, value in
            guard let shape = shapes[key] else { return value }
            return canonical(value, shape, path: joined(path, key))
        }
    }

    private func canonicalList(_ node: Node, _ form: ItemForm, _ identity: ItemIdentity?, path: String) -> Node {
        if node.isNull { return node }
        let items: [Node]
        switch node.content {
        case .scalar: items = [node]
        case .sequence(let list): items = list
        case .mapping: return node
        }
        let forms = items.flatMap { canonicalItem($0, form, path: path) }
        return Node(.sequence(unique(forms, by: identity)), mark: node.mark)
    }

    private func canonicalItem(_ item: Node, _ form: ItemForm, path: String) -> [Node] {
        switch form {
        case .text: return [item]
        case .mapping(let shapes): return [canonicalFields(item, shapes, short: nil, path: path)]
        case .short(let key): return [item.scalar != nil && !item.isNull ? single(key, item) : item]
        case .gpu: return [item.text == "all" ? single("count", item) : mapOptions(item, path: path)]
        case .port: return canonicalPort(item, path: path)
        case .volume:
            let shapes: [String: MergeShape] = ["volume": .fields(["labels": .keyValues], short: nil)]
            return canonicalVolume(canonicalFields(item, shapes, short: nil, path: path), path: path)
        case .device: return canonicalDevice(item, path: path)
        }
    }

    private func mapOptions(_ item: Node, path: String) -> Node {
        canonicalFields(item, ["options": .keyValues], short: nil, path: path)
    }

    private func canonicalKeyValues(_ node: Node, path: String) -> Node {
        guard let items = node.sequence else { return node }
        var mapping = Mapping()
        var places: [String: Int] = [:]
        for item in items {
            guard let text = item.text else {
                error("`\(path)` holds something other than KEY=value", at: item.mark, hint: "write KEY=value")
                continue
            }
            let (key, value) = splitKeyValue(text)
            if refusesSecret(key, in: "the name of a value of \(path)", at: item.mark) { continue }
            let node = value.map { Node.string($0, mark: item.mark) } ?? Node.plain("", mark: item.mark)
            let entry = Mapping.Entry(key: key, keyMark: item.mark, value: node)
            if let place = places[key] {
                mapping.entries[place] = entry
            } else {
                places[key] = mapping.entries.count
                mapping.entries.append(entry)
            }
        }
        return Node(.mapping(mapping), mark: node.mark)
    }

    private func canonicalNames(_ node: Node, _ child: MergeShape, _ defaults: [(String, String)], path: String) -> Node
    {
        guard let items = node.sequence else {
            return mapValues(node) { canonical($1, child, path: joined(path, $0)) }
        }
        var mapping = Mapping()
        for item in items {
            guard let name = item.text, !item.isNull else {
                error("`\(path)` holds something other than a name", at: item.mark, hint: "write a name")
                continue
            }
            guard mapping[name] == nil, !refusesSecret(name, in: "`\(path)`", at: item.mark) else { continue }
            let fields = defaults.map { (key: $0.0, value: Node.plain($0.1, mark: item.mark)) }
            let entries = fields.map { Mapping.Entry(key: $0.key, keyMark: item.mark, value: $0.value) }
            let value =
                defaults.isEmpty ? Node.plain("", mark: item.mark) : Node(.mapping(Mapping(entries)), mark: item.mark)
            mapping.entries.append(Mapping.Entry(key: name, keyMark: item.mark, value: value))
        }
        return Node(.mapping(mapping), mark: node.mark)
    }

    private func canonicalHosts(_ node: Node) -> Node {
        guard let mapping = node.mapping else { return node }
        var items: [Node] = []
        for entry in mapping.entries {
            for address in entry.value.sequence ?? [entry.value] {
                items.append(.string("\(entry.key)=\(address.text ?? "")", mark: address.mark))
            }
        }
        return Node(.sequence(items), mark: node.mark)
    }

    /// `external: {name: x}` is `external: true` and `name: x`.
    private func canonicalExternal(_ node: Node, path: String) -> Node {
        guard var mapping = node.mapping, let external = mapping["external"], let inner = external.mapping else {
            return node
        }
        mapping["external"] = Node.plain("true", mark: external.mark)
        if let name = inner["name"] {
            warning(
                "`\(path).external.name` is out of use", at: external.mark, hint: "write `external: true` and `name:`")
            if let written = mapping["name"], written.text != name.text {
                error("`\(path)` has a name and another external.name", at: external.mark, hint: "keep only `name:`")
            }
            mapping["name"] = name
        }
        return Node(.mapping(mapping), mark: node.mark)
    }

    /// A mapping of one key, which stands where its value does.
    private func single(_ key: String, _ value: Node) -> Node {
        Node(.mapping(Mapping([Mapping.Entry(key: key, keyMark: value.mark, value: value)])), mark: value.mark)
    }

    /// Whether a text holds a secret where none may stand; that is reported.
    func refusesSecret(_ text: String, in use: String, at mark: Mark) -> Bool {
        guard hasSecrets, Placeholder.isIn(text) else { return false }
        let names = Set(TemplateText(text).secretNames).sorted().joined(separator: ", ")
        error(
            "the secret \(names) cannot be used for \(use)", at: mark,
            hint:
                "secrets are allowed in environment, command, entrypoint, healthcheck.test, hooks and configs' content")
        return true
    }
}

/// `KEY=value` taken apart; the value is nil without an equals sign.
func splitKeyValue(_ text: String) -> (key: String, value: String?) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return (text, nil) }
    return (String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
}
