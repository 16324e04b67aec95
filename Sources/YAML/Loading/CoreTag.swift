/// A tag of the core schema, which says what a value is: https://yaml.org/spec/1.2.2/#103-core-schema.
struct CoreTag: CustomStringConvertible {
    private static let prefix = "tag:yaml.org,2002:"

    /// The tag after `!!`.
    var name: String

    /// Nil for a local tag, or a global one of somebody else.
    init?(_ tag: String) {
        guard tag.hasPrefix(Self.prefix) else { return nil }
        name = String(tag.dropFirst(Self.prefix.count))
    }

    var description: String { "!!\(name)" }

    /// Whether a scalar with this tag is read as if it were plain.
    var isPlain: Bool { name != "str" }

    /// Whether the tag is known and a scalar's text is of its type.
    func accepts(_ scalar: Scalar) -> Bool {
        switch (name, scalar.value) {
        case ("str", _), ("null", .null), ("bool", .bool), ("int", .int), ("float", .float), ("float", .int): true
        default: false
        }
    }

    var hint: String {
        switch name {
        case "str", "null", "bool", "int", "float", "seq", "map": "remove the tag or fix the value"
        default: "remove the tag: only !!str, !!null, !!bool, !!int, !!float, !!seq and !!map are known"
        }
    }
}
