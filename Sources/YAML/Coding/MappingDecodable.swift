import OrderedCollections

/// A dictionary that is read from a mapping although its own conformance would read it otherwise.
protocol MappingDecodable {
    static func decoded(_ decoder: ValueDecoder) throws -> Any
}

extension OrderedDictionary: MappingDecodable where Key == String, Value: Decodable {
    static func decoded(_ decoder: ValueDecoder) throws -> Any {
        guard let mapping = decoder.node.mapping else { throw Decoding.mismatch("a map", decoder.node) }
        decoder.asked?.begin(decoder.node)
        decoder.asked?.insertAll(of: decoder.node)
        var dictionary = OrderedDictionary(minimumCapacity: mapping.entries.count)
        for entry in mapping.entries {
            let path = CodingPath(NameKey(entry.key), after: decoder.path)
            dictionary[entry.key] = try Decoding.value(Value.self, entry.value, path: path, asked: decoder.asked)
        }
        return dictionary
    }
}
