import OrderedCollections
import YAML

extension Fields {
    /// The items of a list.
    mutating func items(_ key: String) -> [Node] {
        guard let node = node(key) else { return [] }
        guard let items = node.sequence else {
            wrongKind(key, node, "a list")
            return []
        }
        return items
    }

    /// A list of strings, or one string.
    mutating func strings(_ key: String) -> [String] {
        guard let node = node(key) else { return [] }
        guard node.mapping == nil else {
            wrongKind(key, node, "a list of texts")
            return []
        }
        return (node.sequence ?? [node]).compactMap { string($0, key) }
    }

    /// A list of strings or numbers.
    mutating func texts(_ key: String) -> [String] {
        items(key).compactMap { text($0, key) }
    }

    /// A mapping of scalars; null values are empty.
    mutating func map(_ key: String) -> OrderedDictionary<String, String> {
        var result: OrderedDictionary<String, String> = [:]
        for (name, node) in pairs(key) {
            if node.isNull {
                result[name] = ""
            } else if let text = text(node, "\(key).\(name)") {
                result[name] = text
            }
        }
        return result
    }

    /// The entries of a mapping.
    mutating func pairs(_ key: String) -> [(key: String, value: Node)] {
        entries(key).map { ($0.key, $0.value) }
    }

    mutating func entries(_ key: String) -> [Mapping.Entry] {
        guard let node = node(key) else { return [] }
        guard let mapping = node.mapping else {
            wrongKind(key, node, "a mapping")
            return []
        }
        return mapping.entries
    }

    /// A command: a string, which is split into words, or a list of strings.
    mutating func command(_ key: String) -> [TemplateText]? {
        guard let node = node(key) else { return nil }
        if let items = node.sequence { return items.compactMap { template($0, key) } }
        guard let text = template(node, key) else { return nil }
        do throws(ShellWords.Problem) {
            let split = try ShellWords(text.encoded)
            if let ignored = split.ignored {
                let shown = TemplateText(ignored).masked
                state.warning(
                    "`\(path).\(key)`: no shell to read `\(shown)`, so docker compose leaves it out and so does this",
                    at: node.mark, hint: "write [\"sh\", \"-c\", \"…\"]")
            }
            return split.words.map { TemplateText($0) }
        } catch {
            let what =
                switch error {
                case .openQuote: "a quote is never closed"
                case .trailingBackslash: "there is a backslash at the end"
                case .parenthesis: "a parenthesis must be quoted"
                }
            state.error("`\(path).\(key)`: \(what)", at: node.mark, hint: "write the command as a list")
            return nil
        }
    }

    /// A text in which secrets may stand.
    func template(_ node: Node, _ key: String) -> TemplateText? {
        guard case .string(let text)? = node.value else {
            wrongKind(key, node, "a text", hint: node.scalar == nil ? nil : "put it in quotes")
            return nil
        }
        return TemplateText(text)
    }

    /// Variables in a mapping; a bare one is looked up, and absent if nothing sets it.
    mutating func variables(_ key: String, scope: VariableScope) -> OrderedDictionary<String, EnvironmentValue> {
        var result: OrderedDictionary<String, EnvironmentValue> = [:]
        let entries = entries(key)
        result.reserveCapacity(entries.count)
        for entry in entries { result[entry.key] = variable(entry, key, scope: scope) }
        return result
    }

    private func variable(_ entry: Mapping.Entry, _ key: String, scope: VariableScope) -> EnvironmentValue? {
        guard !entry.key.isEmpty, !entry.key.utf8.contains(UInt8(ascii: "=")), !entry.key.utf8.contains(0) else {
            state.error(
                "`\(path).\(key)`: invalid variable name `\(entry.key)`", at: entry.keyMark, hint: "rename it")
            return nil
        }
        if entry.value.isNull {
            if state.referencedVariables[entry.key] == nil { state.referencedVariables[entry.key] = entry.keyMark }
            guard let variable = scope[entry.key] else { return nil }
            let use = VariableUse(name: entry.key, outcome: .value(variable))
            return EnvironmentValue(text: variable.value, mark: entry.keyMark, layer: variable.layer, uses: [use])
        }
        guard let text = scalarText(entry.value) else {
            wrongKind("\(key).\(entry.key)", entry.value, "a text or a number")
            return nil
        }
        let mark = entry.value.mark
        let uses = state.interpolations[mark] ?? []
        return EnvironmentValue(
            text: TemplateText(text), mark: mark, layer: state.layer(at: mark, uses: uses), uses: uses)
    }
}

extension LoadState {
    /// The layer of a value that is written at a place.
    func layer(at mark: Mark, uses: [VariableUse]) -> Layer {
        if overrideFiles.contains(mark.file) { return .override }
        return uses.contains { $0.usedDefault != nil } ? .composeDefault : .composeFile
    }
}
