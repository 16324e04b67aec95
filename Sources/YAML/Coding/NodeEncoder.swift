package import OrderedCollections

/// Encodes values to nodes: properties in the order of their declaration, nil left out.
///
/// Strings are quoted on emission where a reader could mistake them; numbers, bools and nulls are plain. A `Dictionary`
/// becomes a mapping sorted by key, an `OrderedDictionary` with string keys one in its order, and a ``Node`` itself.
package struct NodeEncoder {
    package init() {}

    /// - Throws: `EncodingError` for a number that is not finite and for a dictionary whose keys are no strings, and
    ///   whatever the value throws.
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

/// A dictionary that becomes a mapping although its own conformance would write it otherwise or in any order.
protocol MappingEncodable {
    func mapping(path: CodingPath?) throws -> Mapping
}

extension Dictionary: MappingEncodable where Key == String, Value: Encodable {
    func mapping(path: CodingPath?) throws -> Mapping {
        Mapping(
            try sorted { $0.key < $1.key }.map {
                Mapping.Entry(key: $0.key, value: try Encoding.node(of: $0.value, path: path))
            })
    }
}

extension OrderedDictionary: MappingEncodable where Key == String, Value: Encodable {
    func mapping(path: CodingPath?) throws -> Mapping {
        Mapping(try map { Mapping.Entry(key: $0.key, value: try Encoding.node(of: $0.value, path: path)) })
    }
}

/// What the containers share.
enum Encoding {
    static func node<Value: Encodable>(of value: Value, path: CodingPath?) throws -> Node {
        // Comparing types first spares most values a dynamic cast.
        if Value.self == String.self, let string = value as? String { return .string(string) }
        if Value.self == Node.self, let node = value as? Node { return node }
        if let value = value as? any MappingEncodable { return Node(.mapping(try value.mapping(path: path))) }
        let encoder = ValueEncoder(path: path)
        try value.encode(to: encoder)
        return encoder.slot.take()
    }

    static func plain(_ value: some LosslessStringConvertible) -> Node { .plain(String(value)) }

    /// A float that YAML 1.1 readers take for one too: it has a dot.
    static func plain<Float: BinaryFloatingPoint & LosslessStringConvertible>(
        _ value: Float, path: CodingPath?
    ) throws -> Node {
        guard value.isFinite else {
            let context = EncodingError.Context(
                codingPath: CodingPath.keys(path), debugDescription: "\(value) is not finite")
            throw EncodingError.invalidValue(value, context)
        }
        let text = String(value)
        guard let exponent = text.firstIndex(of: "e"), !text.contains(".") else { return .plain(text) }
        return .plain("\(text[..<exponent]).0\(text[exponent...])")
    }
}
