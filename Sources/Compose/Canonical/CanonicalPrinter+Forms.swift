import YAML

/// The values that have a short form.
extension CanonicalPrinter {
    func command(_ node: Node) -> Node? {
        if node.isNull { return format == .json ? .plain("null") : nil }
        guard let items = node.sequence else {
            let words = try? ShellWords(node.text ?? "").words
            return .list((words ?? []).map { .string(shown($0)) })
        }
        return .list(items.map { .string(shown($0.text ?? "")) })
    }

    func test(_ node: Node) -> Node? {
        if node.isNull { return nil }
        guard let items = node.sequence else {
            guard let text = node.text, !text.isEmpty else { return nil }
            return .list([.string("CMD-SHELL"), .string(shown(text))])
        }
        return items.isEmpty ? nil : .list(items.map { .string(shown($0.text ?? "")) })
    }

    func ulimit(_ node: Node) -> Node? {
        guard let mapping = node.mapping else { return CanonicalScalar(node)?.node(.keptInteger) }
        let zero = Node.plain("0")
        return .map(
            ["soft", "hard"].map { key in
                (key, mapping[key].flatMap { CanonicalScalar($0)?.node(.keptInteger) } ?? zero)
            })
    }

    func agents(_ node: Node) -> Node? {
        let entries = sorted(node.mapping?.entries ?? [])
        return entries.isEmpty
            ? nil : .list(entries.map { .string(shown($0.value.isNull ? $0.key : "\($0.key)=\($0.value.text ?? "")")) })
    }

    /// Every address of a name is an item of its own.
    func hosts(_ node: Node) -> Node? {
        let items = (node.sequence ?? []).compactMap(\.text).flatMap { text -> [String] in
            guard let separator = text.firstIndex(of: "=") ?? text.firstIndex(of: ":") else { return [text] }
            let addresses = text[text.index(after: separator)...].split(separator: ",")
            return addresses.map { address in
                let isBracketed = address.count > 2 && address.first == "[" && address.last == "]"
                return "\(text[..<separator])=\(isBracketed ? address.dropFirst().dropLast() : address)"
            }
        }
        return items.isEmpty ? nil : .list(items.sorted().map { .string(shown($0)) })
    }
}

/// A text as it may be printed: secrets are masked.
func shown(_ text: String) -> String { Placeholder.isIn(text) ? TemplateText(text).masked : text }
