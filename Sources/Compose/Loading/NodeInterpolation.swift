import YAML

extension LoadState {
    /// Replaces the variables in every value of a tree; keys stay as they are.
    func interpolate(_ node: Node, scope: VariableScope) -> Node { replaced(node, scope: scope) ?? node }

    /// The tree with its variables replaced; nil where it holds none, since what does not change need not be copied.
    private func replaced(_ node: Node, scope: VariableScope) -> Node? {
        var result = node
        switch node.content {
        case .scalar(let scalar):
            refuseNUL(scalar.text, at: node.mark)
            guard scalar.text.utf8.contains(UInt8(ascii: "$")) else { return nil }
            let text = interpolate(scalar.text, at: node.mark, lookup: { scope[$0] }) ?? scalar.text
            // What came of an interpolation is a string to compose, whatever it looks like.
            result.content = .scalar(Scalar(text: text, isPlain: false))
        case .sequence(let items):
            var copy: [Node]?
            for index in items.indices {
                guard let item = replaced(items[index], scope: scope) else { continue }
                if copy == nil { copy = items }
                copy?[index] = item
            }
            guard let copy else { return nil }
            result.content = .sequence(copy)
        case .mapping(let mapping):
            var copy: Mapping?
            for index in mapping.entries.indices {
                guard let value = replaced(mapping.entries[index].value, scope: scope) else { continue }
                if copy == nil { copy = mapping }
                copy?.entries[index].value = value
            }
            guard let copy else { return nil }
            result.content = .mapping(copy)
        }
        return result
    }

    /// No program takes such a text whole: what is behind the character would be lost in silence.
    func refuseNUL(_ text: String, at mark: Mark) {
        guard text.utf8.contains(0) else { return }
        error("the value holds a NUL character, where a program would take it to end", at: mark, hint: "remove it")
    }
}
