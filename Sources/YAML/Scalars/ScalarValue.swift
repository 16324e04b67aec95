/// What a scalar means by the YAML 1.2 core schema.
package enum ScalarValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case float(Double)
    case string(String)
}

extension Scalar {
    /// What the scalar means: a quoted one is a string, a plain one what the YAML 1.2 core schema says
    /// (https://yaml.org/spec/1.2.2/#1032-tag-resolution).
    ///
    /// `yes`, `on`, `22:22`, `1_000` and `2024-01-01` are strings; so is, beyond the schema, an integer with leading
    /// zeros such as `0755`, which readers take for three different numbers.
    package var value: ScalarValue { isPlain ? CoreSchema.value(of: text) : .string(text) }
}

extension Node {
    /// What the scalar means; nil for a collection.
    package var value: ScalarValue? { scalar?.value }

    /// Whether the node is a null scalar: `null`, `~` or nothing at all.
    package var isNull: Bool {
        // Asked of every value: what is longer than `null` need not be understood.
        guard case .scalar(let scalar) = content, scalar.isPlain, scalar.text.utf8.count <= 4 else { return false }
        return scalar.value == .null
    }

    /// The bool, if the node is one; `yes` and `"true"` are strings.
    package var boolValue: Bool? {
        if case .bool(let value) = value { value } else { nil }
    }

    /// The integer, if the node is one: decimal, `0o17` or `0x1F`.
    package var intValue: Int? {
        if case .int(let value) = value { Int(exactly: value) } else { nil }
    }

    /// The number, if the node is an integer or a float.
    package var doubleValue: Double? {
        switch value {
        case .int(let value): Double(value)
        case .float(let value): value
        default: nil
        }
    }

    /// Whether two nodes mean the same: equal tags, values, and keys in equal order, wherever and however they are
    /// written.
    package func means(_ other: Node) -> Bool {
        guard tag == other.tag else { return false }
        switch (content, other.content) {
        case (.scalar(let one), .scalar(let two)): return one == two || one.value == two.value
        case (.sequence(let one), .sequence(let two)):
            return one.count == two.count && zip(one, two).allSatisfy { $0.means($1) }
        case (.mapping(let one), .mapping(let two)):
            return one.entries.count == two.entries.count
                && zip(one.entries, two.entries).allSatisfy { $0.key == $1.key && $0.value.means($1.value) }
        default: return false
        }
    }
}
