import YAML

/// What a value of stack.yml or spec.yml may be: the tables that the code validates with.
///
/// A null is an absent value everywhere but in ``nullable(_:)``.
package indirect enum Shape: Sendable {
    /// A scalar of any type, taken as its text.
    case text
    /// A scalar whose text a rule accepts.
    case checked(TextRule)
    case bool
    case integer(ClosedRange<Int>)
    /// Anything: what another loader checks.
    case any
    case nullable(Shape)
    case list(Shape)
    /// Free keys that a rule accepts, with values of one shape.
    case mapping(TextRule, Shape)
    /// Known keys, and where `others` is not nil free ones too.
    case fields([Field], others: Shape?)
    /// A scalar of the first shape, or a collection of the second.
    case scalarOr(Shape, Shape)

    /// Known keys only.
    package static func fields(_ fields: [Field]) -> Shape { .fields(fields, others: nil) }
}

/// A known key of a mapping.
package struct Field: Sendable {
    package var name: String
    package var shape: Shape
    package var isRequired: Bool
    /// What the key does, for schemas and the reference.
    package var summary: String

    package init(_ name: String, _ shape: Shape, required: Bool = false, _ summary: String) {
        self.name = name
        self.shape = shape
        isRequired = required
        self.summary = summary
    }
}

/// A condition on a scalar's text.
package struct TextRule: Sendable {
    /// What a text that passes is, in a message: `a DNS name`.
    package var description: String
    /// An ECMA 262 pattern that no text which passes fails, for editors; the rule itself may be stricter.
    package var pattern: String?
    /// All texts that pass, where they can be listed.
    package var values: [String]?
    /// Some of the texts that pass, for those who mistype them, where not all can be listed.
    package var examples: [String] = []
    package var accepts: @Sendable (String) -> Bool

    package init(_ description: String, pattern: String? = nil, _ accepts: @escaping @Sendable (String) -> Bool) {
        self.description = description
        self.pattern = pattern
        self.accepts = accepts
    }
}
