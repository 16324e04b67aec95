import YAML

extension LoadState {
    /// Replaces the variables in every value of a tree; keys stay as they are.
    func interpolate(_ node: Node, scope: VariableScope) -> Node {
        switch node.content {
        case .scalar(let scalar): return interpolate(scalar, of: node, scope: scope)
        case .sequence(let items):
            var result = node
            result.content = .sequence(items.map { interpolate($0, scope: scope) })
            return result
        case .mapping(var mapping):
            for index in mapping.entries.indices {
                mapping.entries[index].value = interpolate(mapping.entries[index].value, scope: scope)
            }
            var result = node
            result.content = .mapping(mapping)
            return result
        }
    }

    private func interpolate(_ scalar: Scalar, of node: Node, scope: VariableScope) -> Node {
        guard scalar.text.utf8.contains(UInt8(ascii: "$")) else { return node }
        let text = interpolate(scalar.text, at: node.mark, lookup: { scope[$0] }) ?? ""
        // What came of an interpolation is a string to compose, whatever it looks like.
        return Node(.scalar(Scalar(text: text, isPlain: false)), tag: node.tag, mark: node.mark)
    }
}
