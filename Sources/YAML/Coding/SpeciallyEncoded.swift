import OrderedCollections

/// A collection whose own conformance would write it in any order, or a mapping as a list of keys and values.
protocol SpeciallyEncoded {
    func node(path: CodingPath?) throws -> Node
}

/// A dictionary with string keys.
private protocol MappingEncodable {
    func mapping(path: CodingPath?) throws -> Mapping
}

extension Dictionary: MappingEncodable where Key == String, Value: Encodable {
    fileprivate func mapping(path: CodingPath?) throws -> Mapping {
        Mapping(try sorted { $0.key < $1.key }.map { try entry($0.key, $0.value, path) })
    }
}

extension OrderedDictionary: MappingEncodable where Key == String, Value: Encodable {
    fileprivate func mapping(path: CodingPath?) throws -> Mapping {
        Mapping(try map { try entry($0.key, $0.value, path) })
    }
}

private func entry(_ key: String, _ value: some Encodable, _ path: CodingPath?) throws -> Mapping.Entry {
    Mapping.Entry(key: key, value: try Encoding.node(of: value, path: CodingPath(NameKey(key), after: path)))
}

private func mappingNode(_ dictionary: Any, _ path: CodingPath?) throws -> Node {
    guard let encodable = dictionary as? any MappingEncodable else {
        throw Encoding.refusal(dictionary, "a map has string keys; this one has others", path)
    }
    return Node(.mapping(try encodable.mapping(path: path)))
}

extension Dictionary: SpeciallyEncoded {
    func node(path: CodingPath?) throws -> Node { try mappingNode(self, path) }
}

extension OrderedDictionary: SpeciallyEncoded {
    func node(path: CodingPath?) throws -> Node { try mappingNode(self, path) }
}

extension Set: SpeciallyEncoded {
    func node(path: CodingPath?) throws -> Node {
        guard let strings = self as? Set<String> else {
            throw Encoding.refusal(self, "a set that is not a set of strings has no order to be written in", path)
        }
        return .list(strings.sorted().map { .string($0) })
    }
}
