/// The `Decoder` that a type is handed.
struct ValueDecoder: Decoder {
    let node: Node
    let path: CodingPath?
    let asked: AskedKeys?

    var codingPath: [any CodingKey] { CodingPath.keys(path) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let mapping = node.mapping else { throw Decoding.mismatch("a map", node) }
        asked?.begin(node)
        return KeyedDecodingContainer(KeyedDecoding<Key>(decoder: self, mapping: mapping))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let items = node.sequence else { throw Decoding.mismatch("a list", node) }
        return UnkeyedDecoding(decoder: self, items: items)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { SingleDecoding(decoder: self) }

    func child(_ node: Node, _ key: any CodingKey) -> ValueDecoder {
        ValueDecoder(node: node, path: CodingPath(key, after: path), asked: asked)
    }
}

private struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: ValueDecoder
    let mapping: Mapping

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        decoder.asked?.insertAll(of: decoder.node)
        return mapping.entries.compactMap { Key(stringValue: $0.key) }
    }

    func contains(_ key: Key) -> Bool {
        decoder.asked?.insert(key.stringValue, of: decoder.node)
        return mapping[key.stringValue] != nil
    }

    func decodeNil(forKey key: Key) throws -> Bool { try child(key).node.isNull }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        let child = try child(key)
        return try Decoding.value(type, child.node, path: child.path, asked: child.asked)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try child(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { decoder }

    func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

    private func child(_ key: Key) throws -> ValueDecoder {
        decoder.asked?.insert(key.stringValue, of: decoder.node)
        guard let node = mapping[key.stringValue] else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: ""))
        }
        return decoder.child(node, key)
    }
}

private struct UnkeyedDecoding: UnkeyedDecodingContainer {
    let decoder: ValueDecoder
    let items: [Node]
    private(set) var currentIndex = 0

    init(decoder: ValueDecoder, items: [Node]) {
        self.decoder = decoder
        self.items = items
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { items.count }
    var isAtEnd: Bool { currentIndex == items.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try current().node.isNull
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let item = try next()
        return try Decoding.value(type, item.node, path: item.path, asked: item.asked)
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try next().unkeyedContainer() }

    mutating func superDecoder() throws -> any Decoder { try next() }

    private func current() throws -> ValueDecoder {
        guard !isAtEnd else {
            throw InvalidInput([Diagnostic(.error, at: decoder.node.mark, "the list has only \(items.count) items")])
        }
        return decoder.child(items[currentIndex], IndexKey(currentIndex))
    }

    private mutating func next() throws -> ValueDecoder {
        let item = try current()
        currentIndex += 1
        return item
    }
}

private struct SingleDecoding: SingleValueDecodingContainer {
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }
    private var node: Node { decoder.node }

    func decodeNil() -> Bool { node.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        guard let value = node.boolValue else { throw Decoding.mismatch("true or false", node) }
        return value
    }

    func decode(_ type: String.Type) throws -> String {
        guard case .string(let text)? = node.value else { throw Decoding.mismatch("a string", node) }
        return text
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let value = node.doubleValue else { throw Decoding.mismatch("a number", node) }
        return value
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Decoding.value(type, node, path: decoder.path, asked: decoder.asked)
    }

    private func integer<Integer: FixedWidthInteger>() throws -> Integer {
        switch node.value {
        case .int(let value):
            if let integer = Integer(exactly: value) { return integer }
        case .float:
            // Beyond Int64 an integer's value is a float, its text still exact.
            if let integer = Integer(node.text ?? "") { return integer }
        default: throw Decoding.mismatch("an integer", node)
        }
        throw InvalidInput([
            Diagnostic(
                .error, at: node.mark,
                "`\(node.text ?? "")` is not an integer from \(Integer.min) to \(Integer.max)")
        ])
    }
}
