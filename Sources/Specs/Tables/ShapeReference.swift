/// A key as the documentation lists it.
struct DocumentedKey {
    /// Dotted; `[]` stands for an entry of a list, `<name>` for a name of the user's.
    var path: String
    /// What may be written.
    var value: String
    var summary: String
}

extension Shape {
    /// Every key below the shape, in the order of its table.
    var documentedKeys: [DocumentedKey] { documentedKeys(below: "") }

    private func documentedKeys(below path: String) -> [DocumentedKey] {
        switch self {
        case .fields(let fields, let others):
            let own = fields.flatMap { field in
                let inner = path.isEmpty ? field.name : "\(path).\(field.name)"
                let value = field.shape.valueDescription + (field.isRequired ? "; required" : "")
                return [DocumentedKey(path: inner, value: value, summary: field.summary)]
                    + field.shape.documentedKeys(below: inner)
            }
            return own + (others.map { $0.documentedKeys(below: "\(path).<name>") } ?? [])
        case .mapping(_, let value): return value.documentedKeys(below: "\(path).<name>")
        case .list(let item): return item.documentedKeys(below: "\(path)[]")
        case .nullable(let inner): return inner.documentedKeys(below: path)
        case .scalarOr(let scalar, let collection):
            return scalar.documentedKeys(below: path) + collection.documentedKeys(below: path)
        case .text, .checked, .bool, .integer, .any: return []
        }
    }

    /// What a value of the shape is, in words.
    private var valueDescription: String {
        switch self {
        case .text: "a text"
        case .checked(let rule): rule.description
        case .bool: "true or false"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .any: "what compose takes"
        case .nullable(let inner): "\(inner.valueDescription), or empty"
        case .list(let item): item.isCompound ? "a list" : "a list, each \(item.valueDescription)"
        case .mapping(_, let value): value.isCompound ? "a map" : "a map, each value \(value.valueDescription)"
        case .fields: "a map"
        case .scalarOr(let scalar, let collection): "\(scalar.valueDescription), or \(collection.valueDescription)"
        }
    }

    private var isCompound: Bool {
        switch self {
        case .fields: true
        case .nullable(let inner): inner.isCompound
        default: false
        }
    }
}
