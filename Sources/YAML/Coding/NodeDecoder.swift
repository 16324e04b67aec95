/// Decodes values from nodes; what does not fit is named with its place.
///
/// A scalar fits `String` only where it is a string, an integer type only where it is an integer in its range, `Bool`
/// only where it is `true` or `false`. Keys that the type does not ask for are ignored; see
/// ``decode(_:from:refusingUnknownKeys:)``.
package struct NodeDecoder {
    package init() {}

    /// - Parameter refusingUnknownKeys: whether a key that the type never asks for is an error.
    /// - Throws: ``InvalidInput`` with the mark of the value that does not fit.
    package func decode<Value: Decodable>(
        _ type: Value.Type, from node: Node, refusingUnknownKeys: Bool = false
    ) throws(InvalidInput) -> Value {
        let asked = refusingUnknownKeys ? AskedKeys() : nil
        let value: Value
        do {
            value = try Decoding.value(type, node, path: nil, asked: asked)
        } catch {
            throw Decoding.invalidInput(error, at: node)
        }
        if let unknown = asked?.unknown(in: node), !unknown.isEmpty { throw InvalidInput(unknown) }
        return value
    }
}

/// What the containers share.
enum Decoding {
    static func value<Value: Decodable>(
        _ type: Value.Type, _ node: Node, path: CodingPath?, asked: AskedKeys?
    ) throws -> Value {
        let decoder = ValueDecoder(node: node, path: path, asked: asked)
        do {
            if let mapping = type as? any MappingDecodable.Type, let value = try mapping.decoded(decoder) as? Value {
                return value
            }
            if type == Node.self { asked?.begin(node) }
            return try type.init(from: decoder)
        } catch {
            throw invalidInput(error, at: node)
        }
    }

    /// Any error as an ``InvalidInput``: what a type throws itself gets the place of its node.
    static func invalidInput(_ error: any Error, at node: Node) -> InvalidInput {
        switch error {
        case let error as InvalidInput: error
        case DecodingError.keyNotFound(let key, _):
            InvalidInput([
                Diagnostic(.error, at: node.mark, "the key `\(key.stringValue)` is missing", hint: "add it")
            ])
        case DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            InvalidInput([Diagnostic(.error, at: node.mark, context.debugDescription)])
        default: InvalidInput([Diagnostic(.error, at: node.mark, String(describing: error))])
        }
    }

    static func mismatch(_ expected: String, _ node: Node) -> InvalidInput {
        InvalidInput([Diagnostic(.error, at: node.mark, "\(expected) is expected here, but this is \(kind(of: node))")])
    }

    private static func kind(of node: Node) -> String {
        switch node.content {
        case .sequence: "a list"
        case .mapping: "a map"
        case .scalar(let scalar):
            switch scalar.value {
            case .null: "nothing (null)"
            case .bool: "a bool"
            case .int: "an integer"
            case .float: "a number"
            case .string: "a string"
            }
        }
    }
}
