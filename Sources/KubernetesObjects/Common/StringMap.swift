/// A map of strings that encodes in the order of its keys, so that equal objects are equal text.
package struct StringMap: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) {
        self.values = values
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        values = Dictionary(elements) { _, last in last }
    }

    package subscript(key: String) -> String? {
        get { values[key] }
        set { values[key] = newValue }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The entries in the order of their keys.
    package var sorted: [(key: String, value: String)] { values.sorted { $0.key < $1.key } }

    /// This map with another's entries over it.
    package func merging(_ other: StringMap) -> StringMap {
        StringMap(values.merging(other.values) { _, new in new })
    }
}

extension StringMap: Codable {
    private struct EntryKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EntryKey.self)
        values = [:]
        for key in container.allKeys { values[key.stringValue] = try container.decode(String.self, forKey: key) }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: EntryKey.self)
        for (key, value) in sorted { try container.encode(value, forKey: EntryKey(stringValue: key)) }
    }
}
