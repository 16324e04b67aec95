/// Encodes values to nodes: properties in the order of their declaration, nil left out.
///
/// Strings are quoted on emission where a reader could mistake them; numbers, bools and nulls are plain. A dictionary with
/// string keys becomes a mapping: an `OrderedDictionary` in its order, a `Dictionary` sorted by key. A set of strings
/// becomes a sorted list. A ``Node`` stays as it is.
package struct NodeEncoder {
    package init() {}

    /// - Throws: `EncodingError` for a number that is not finite and for a dictionary whose keys or a set whose
    ///   members are not strings, and whatever the value throws.
    package func encode(_ value: some Encodable) throws -> Node {
        try Encoding.node(of: value, path: nil)
    }
}

/// What the containers share.
enum Encoding {
    static func node<Value: Encodable>(of value: Value, path: CodingPath?) throws -> Node {
        // Comparing types first spares most values a dynamic cast.
        if Value.self == String.self, let string = value as? String { return .string(string) }
        if Value.self == [String].self, let strings = value as? [String] { return .list(strings.map { .string($0) }) }
        if Value.self == Node.self, let node = value as? Node { return node }
        if let value = value as? any SpeciallyEncoded { return try value.node(path: path) }
        let encoder = ValueEncoder(path: path)
        try value.encode(to: encoder)
        return encoder.slot.take()
    }

    static func refusal(_ value: Any, _ what: String, _ path: CodingPath?) -> EncodingError {
        .invalidValue(value, .init(codingPath: CodingPath.keys(path), debugDescription: what))
    }

    static func plain(_ value: some LosslessStringConvertible) -> Node { .plain(String(value)) }

    /// A float that YAML 1.1 readers take for one too: it has a dot.
    static func plain<Float: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: Float, path: CodingPath?
    ) throws -> Node {
        guard value.isFinite else { throw refusal(value, "\(value) is not finite", path) }
        let text = String(value)
        guard let exponent = text.firstIndex(of: "e"), !text.contains(".") else { return .plain(text) }
        return .plain("\(text[..<exponent]).0\(text[exponent...])")
    }
}
