package import OrderedCollections
package import YAML

/// Readers of nodes that a ``Validation`` has accepted: what does not fit reads as absent.
extension Node {
    /// The value under a key, if it is there and not null.
    package func value(_ key: String) -> Node? {
        guard let value = mapping?[key], !value.isNull else { return nil }
        return value
    }

    /// A scalar's text under a key.
    package func text(_ key: String) -> String? { value(key)?.text }

    package func located(_ key: String) -> Located<String>? {
        value(key).flatMap { node in node.text.map { Located($0, at: node.mark) } }
    }

    package func bool(_ key: String) -> Bool? { value(key).flatMap { Specs.bool($0) } }

    package func integer(_ key: String) -> Int? { text(key).flatMap { Int($0) } }

    /// The texts of a list under a key.
    package func texts(_ key: String) -> [Located<String>] {
        items(key).compactMap { node in node.text.map { Located($0, at: node.mark) } }
    }

    package func items(_ key: String) -> [Node] { value(key)?.sequence ?? [] }

    package func entries(_ key: String) -> [Mapping.Entry] { value(key)?.mapping?.entries ?? [] }

    /// A map of scalars under a key.
    package func textMap(_ key: String) -> OrderedDictionary<String, Located<String>> {
        var result: OrderedDictionary<String, Located<String>> = [:]
        for entry in entries(key) {
            if let text = entry.value.text { result[entry.key] = Located(text, at: entry.value.mark) }
        }
        return result
    }

    /// The top level's `x-…` keys.
    package var extensionKeys: OrderedDictionary<String, Node> {
        var result: OrderedDictionary<String, Node> = [:]
        for entry in mapping?.entries ?? [] where entry.key.hasPrefix("x-") { result[entry.key] = entry.value }
        return result
    }
}
