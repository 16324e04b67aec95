/// A value that the API takes as a number or as text: a port's number or name, a count or a percentage.
package enum IntOrString: Hashable, Sendable, Codable, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    case int(Int)
    case string(String)

    package init(integerLiteral value: Int) { self = .int(value) }
    package init(stringLiteral value: String) { self = .string(value) }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .int(number)
        } else {
            self = .string(try container.decode(String.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .int(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        }
    }
}
