package import YAML

/// The documents that have a JSON Schema, made of the very tables that the code validates with.
package enum DocumentSchema: String, CaseIterable, Sendable {
    case stack
    case spec

    /// The schema, for editors: https://json-schema.org/draft/2020-12/json-schema-core
    package var node: Node {
        switch self {
        case .stack: Shape.stack.document(titled: "stack.yml of so")
        case .spec: Shape.spec.document(titled: "spec.yml of so")
        }
    }
}

extension Shape {
    /// The schema of a document that has this shape, with `x-` keys allowed at its top.
    package func document(titled title: String) -> Node {
        var entries: [(String, Node)] = [
            ("$schema", .string("https://json-schema.org/draft/2020-12/schema")), ("title", .string(title)),
        ]
        if case .scalarOr = self { return .map(entries + schema) }
        entries += schema.filter { $0.0 != "type" }
        entries += [("type", .string("object")), ("patternProperties", .map([("^x-", .map([]))]))]
        return .map(entries)
    }

    /// The keywords of a value that may be null: an absent value is one.
    fileprivate var schema: [(String, Node)] {
        switch self {
        case .any: []
        case .nullable(let inner): inner.schema
        case .text: [("type", Self.types(Self.scalarTypes))]
        case .checked(let rule): rule.schema(types: Self.scalarTypes)
        case .bool: [("type", Self.types(["boolean"])), ("default", .plain("false"))]
        case .integer(let range):
            [
                ("type", Self.types(["integer"])), ("minimum", .plain("\(range.lowerBound)")),
                ("maximum", .plain("\(range.upperBound)")),
            ]
        case .list(let item): [("type", Self.types(["array"])), ("items", .map(item.present))]
        case .mapping(let names, let value):
            [
                ("type", Self.types(["object"])), ("propertyNames", .map(names.schema(types: []))),
                ("additionalProperties", .map(value.entry)),
            ]
        case .fields(let fields, let others): Self.schema(fields, others: others)
        case .scalarOr(let scalar, let collection):
            [("anyOf", .list([.map(scalar.schema), .map(collection.schema)]))]
        }
    }

    private static func schema(_ fields: [Field], others: Shape?) -> [(String, Node)] {
        let properties = fields.map { field in
            (field.name, Node.map([("description", .string(field.summary))] + field.keywords))
        }
        let required = fields.filter(\.isRequired).map { Node.string($0.name) }
        return [("type", types(["object"])), ("properties", .map(properties))]
            + (required.isEmpty ? [] : [("required", .list(required))])
            + [("additionalProperties", others.map { .map($0.schema) } ?? .plain("false"))]
    }

    private static let scalarTypes = ["string", "number", "boolean"]

    private static func types(_ names: [String]) -> Node { .list((names + ["null"]).map { .string($0) }) }

    /// The keywords of an item of a list, which may not be empty.
    private var present: [(String, Node)] {
        schema + (isAny ? [] : [("not", .map([("type", .string("null"))]))])
    }

    /// The keywords of a free key's value, which may be empty only where the table says so.
    private var entry: [(String, Node)] {
        if case .nullable(let inner) = self { return inner.schema }
        return present
    }

    fileprivate var isAny: Bool {
        if case .any = self { return true }
        return false
    }
}

extension Field {
    fileprivate var keywords: [(String, Node)] {
        shape.schema + (isRequired ? [("not", .map([("type", .string("null"))]))] : [])
    }
}

extension TextRule {
    /// - Parameter types: the JSON types that a value may have; empty for a key, which is always a string.
    fileprivate func schema(types: [String]) -> [(String, Node)] {
        if let values {
            let allowed = values.map { Node.string($0) } + (types.isEmpty ? [] : [.plain("null")])
            return [("enum", .list(allowed))]
        }
        let type: [(String, Node)] =
            types.isEmpty ? [] : [("type", .list((types + ["null"]).map { .string($0) }))]
        return type + (pattern.map { [("pattern", .string($0))] } ?? [])
    }
}
