/// A node may be a property of a type that ``NodeEncoder`` encodes and ``NodeDecoder`` decodes: it stays as it is, with
/// tags and marks. No other encoder takes it.
extension Node: Codable {
    package init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "only NodeDecoder decodes a Node"))
        }
        self = decoder.node
    }

    package func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else {
            throw EncodingError.invalidValue(
                self, .init(codingPath: encoder.codingPath, debugDescription: "only NodeEncoder encodes a Node"))
        }
        encoder.slot.put(self)
    }
}
