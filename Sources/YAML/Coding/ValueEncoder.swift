/// The `Encoder` that a value is handed.
struct ValueEncoder: Encoder {
    let slot: EncodingSlot
    let path: CodingPath?

    init(path: CodingPath?, slot: EncodingSlot = EncodingSlot()) {
        self.path = path
        self.slot = slot
    }

    var codingPath: [any CodingKey] { CodingPath.keys(path) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.becomeMapping()
        return KeyedEncodingContainer(KeyedEncoding<Key>(slot: slot, path: path))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.becomeSequence()
        return UnkeyedEncoding(slot: slot, path: path)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { SingleEncoding(slot: slot, path: path) }
}

private struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: EncodingSlot
    let path: CodingPath?

    var codingPath: [any CodingKey] { CodingPath.keys(path) }

    private func put(_ node: Node, _ key: Key) { slot.append(key.stringValue, node) }

    func encodeNil(forKey key: Key) { put(.plain("null"), key) }
    func encode(_ value: Bool, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    func encode(_ value: Int, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: Int8, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: Int16, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: Int32, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: Int64, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: UInt, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { put(Encoding.plain(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { put(Encoding.plain(value), key) }

    func encode(_ value: Double, forKey key: Key) throws {
        put(try Encoding.plain(value, path: CodingPath(key, after: path)), key)
    }

    func encode(_ value: Float, forKey key: Key) throws {
        put(try Encoding.plain(value, path: CodingPath(key, after: path)), key)
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        put(try Encoding.node(of: value, path: CodingPath(key, after: path)), key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        nested(key).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { nested("super", IndexKey(0)) }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }

    private func nested(_ key: Key) -> ValueEncoder { nested(key.stringValue, key) }

    private func nested(_ name: String, _ key: any CodingKey) -> ValueEncoder {
        let encoder = ValueEncoder(path: CodingPath(key, after: path))
        slot.append(name, encoder.slot)
        return encoder
    }
}

private struct UnkeyedEncoding: UnkeyedEncodingContainer {
    let slot: EncodingSlot
    let path: CodingPath?

    var codingPath: [any CodingKey] { CodingPath.keys(path) }
    var count: Int { slot.count }

    private var itemPath: CodingPath { CodingPath(IndexKey(count), after: path) }

    func encodeNil() { slot.append(.plain("null")) }
    func encode(_ value: Bool) { slot.append(Encoding.plain(value)) }
    func encode(_ value: String) { slot.append(.string(value)) }
    func encode(_ value: Int) { slot.append(Encoding.plain(value)) }
    func encode<Value: Encodable>(_ value: Value) throws {
        slot.append(try Encoding.node(of: value, path: itemPath))
    }

    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> ValueEncoder {
        let encoder = ValueEncoder(path: itemPath)
        slot.append(encoder.slot)
        return encoder
    }
}

private struct SingleEncoding: SingleValueEncodingContainer {
    let slot: EncodingSlot
    let path: CodingPath?

    var codingPath: [any CodingKey] { CodingPath.keys(path) }

    func encodeNil() { slot.put(.plain("null")) }
    func encode(_ value: Bool) { slot.put(Encoding.plain(value)) }
    func encode(_ value: String) { slot.put(.string(value)) }
    func encode(_ value: Int) { slot.put(Encoding.plain(value)) }
    func encode(_ value: Int8) { slot.put(Encoding.plain(value)) }
    func encode(_ value: Int16) { slot.put(Encoding.plain(value)) }
    func encode(_ value: Int32) { slot.put(Encoding.plain(value)) }
    func encode(_ value: Int64) { slot.put(Encoding.plain(value)) }
    func encode(_ value: UInt) { slot.put(Encoding.plain(value)) }
    func encode(_ value: UInt8) { slot.put(Encoding.plain(value)) }
    func encode(_ value: UInt16) { slot.put(Encoding.plain(value)) }
    func encode(_ value: UInt32) { slot.put(Encoding.plain(value)) }
    func encode(_ value: UInt64) { slot.put(Encoding.plain(value)) }
    func encode(_ value: Double) throws { slot.put(try Encoding.plain(value, path: path)) }
    func encode(_ value: Float) throws { slot.put(try Encoding.plain(value, path: path)) }
    func encode<Value: Encodable>(_ value: Value) throws { slot.put(try Encoding.node(of: value, path: path)) }
}
