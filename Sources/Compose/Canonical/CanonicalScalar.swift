import YAML

/// A scalar of the merged files, to be printed by its type.
struct CanonicalScalar {
    private let node: Node
    private let text: String

    /// nil: no scalar.
    init?(_ node: Node) {
        guard let scalar = node.scalar else { return nil }
        self.node = node
        text = scalarText(node) ?? (node.isNull ? "" : scalar.text)
    }

    /// The scalar by a type; nil where it is empty, and what cannot be read as it stands.
    func node(_ type: CanonicalType) -> Node? {
        switch type {
        case .text: text.isEmpty ? nil : .string(shown(text))
        case .entry: .string(shown(text))
        case .integer: number(nonzero(integer))
        case .keptInteger: number(integer)
        case .number: Float(text).map { $0 == 0 ? nil : .plain(Self.decimal($0)) } ?? plain
        case .flag: flag.map { $0 ? .plain("true") : nil } ?? plain
        case .keptFlag: flag.map { .plain($0 ? "true" : "false") } ?? plain
        case .bytes: (ByteSize.parse(text) ?? Int64(text)).map { $0 == 0 ? nil : .string(String($0)) } ?? plain
        case .duration: duration.map { $0 == .zero ? nil : .string($0.goText) } ?? plain
        case .keptDuration: duration.map { .string($0.goText) } ?? plain
        case .mode: mode.map { .string("0" + String($0, radix: 8)) } ?? plain
        case .permissions: mode.map { $0 == 0 ? nil : .plain(String($0)) } ?? plain
        case .deviceCount: text.lowercased() == "all" ? .plain("-1") : number(nonzero(integer))
        default: plain
        }
    }

    /// The scalar as it stands, numbers in decimal.
    var plain: Node {
        switch node.value {
        case .int(let value): .plain(String(value))
        case .float(let value) where value.isFinite: .plain(Self.decimal(value))
        case .bool(let value): .plain(value ? "true" : "false")
        case .null: .plain("null")
        default: .string(shown(text))
        }
    }

    private var integer: Int64? {
        node.intValue.map(Int64.init) ?? Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    }

    private var duration: Duration? { ComposeDuration.parse(text) }

    private var flag: Bool? {
        switch text.lowercased() {
        case "true", "yes", "y", "on": true
        case "false", "no", "n", "off": false
        default: nil
        }
    }

    /// Quoted or with a leading zero it is octal.
    private var mode: Int64? {
        let isDecimal = node.intValue != nil && !text.hasPrefix("0")
        return isDecimal ? Int64(text) : Int64(text.hasPrefix("0o") ? String(text.dropFirst(2)) : text, radix: 8)
    }

    private func nonzero(_ value: Int64?) -> Int64?? { value.map { $0 == 0 ? Int64?.none : $0 } }

    private func number(_ value: Int64?) -> Node? { value.map { .plain(String($0)) } ?? plain }

    /// nil inside: a zero, which is left out; nil outside: no number, which stays as it stands.
    private func number(_ value: Int64??) -> Node? {
        guard let value else { return plain }
        return value.map { .plain(String($0)) }
    }

    /// The shortest text of the number, without a point if it is whole.
    private static func decimal(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
        if let whole = Int64(exactly: value) { return String(whole) }
        return value.description
    }
}

extension Duration {
    /// The duration as Go writes it: `1m30s`, `500ms`, `0s`.
    var goText: String {
        let (seconds, attoseconds) = components
        let nanoseconds = attoseconds / 1_000_000_000
        if seconds == 0, nanoseconds != 0 { return Self.small(nanoseconds) }
        let fraction = Self.fraction(nanoseconds, digits: 9)
        let rest = "\(seconds % 60)\(fraction)s"
        if seconds < 60 { return rest }
        let minutes = "\(seconds / 60 % 60)m\(rest)"
        return seconds < 3600 ? minutes : "\(seconds / 3600)h\(minutes)"
    }

    private static func small(_ nanoseconds: Int64) -> String {
        if nanoseconds < 1_000 { return "\(nanoseconds)ns" }
        if nanoseconds < 1_000_000 { return "\(nanoseconds / 1_000)\(fraction(nanoseconds % 1_000, digits: 3))µs" }
        return "\(nanoseconds / 1_000_000)\(fraction(nanoseconds % 1_000_000, digits: 6))ms"
    }

    private static func fraction(_ value: Int64, digits: Int) -> String {
        guard value > 0 else { return "" }
        let text = String(value)
        var padded = String(repeating: "0", count: digits - text.count) + text
        while padded.last == "0" { padded.removeLast() }
        return "." + padded
    }
}
