/// Encodes values to nodes: properties in the order of their declaration, nil left out.
///
/// Strings are quoted on emission where a reader could mistake them; numbers, bools and nulls are plain. A dictionary with
/// string keys becomes a mapping: an `OrderedDictionary` in its order, a `Dictionary` sorted by key. A set of strings
/// becomes a sorted list. A ``Node`` stays as it is.
package struct NodeEncoder {
    package init() {}

    /// - Throws: `EncodingError` for a number that is not finite and for a dictionary whose keys or a set whose
    ///   members are no strings, and whatever the value throws.
    package func encode(_ value: some Encodable) throws -> Node {
        try Encoding.node(of: value, path: nil)
    }
}

/// The keys that lead to a value, innermost first: cheap to extend, and seldom read.
final class CodingPath: Sendable {
    private let key: any CodingKey
    private let parent: CodingPath?

    init(_ key: any CodingKey, after parent: CodingPath?) {
        self.key = key
        self.parent = parent
    }

    static func keys(_ path: CodingPath?) -> [any CodingKey] {
        var keys: [any CodingKey] = []
        var path = path
        while let step = path {
            keys.append(step.key)
            path = step.parent
        }
        return keys.reversed()
    }
}

/// The key of a list's item.
struct IndexKey: CodingKey {
    var intValue: Int?
    var stringValue: String { String(intValue ?? 0) }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.init(intValue) }
    init?(stringValue: String) { nil }
}

/// What the containers share.
enum Encoding {
    static func node<Value: Encodable>(of value: Value, path: CodingPath?) throws -> Node {
        // Comparing types first spares most values a dynamic cast.
        if Value.self == String.self, let string = value as? String { return .string(string) }
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
