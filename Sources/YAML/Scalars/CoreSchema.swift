/// Resolves plain scalars: https://yaml.org/spec/1.2.2/#1032-tag-resolution.
enum CoreSchema {
    static func value(of text: String) -> ScalarValue {
        guard let first = text.utf8.first else { return .null }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return number(text) ?? .string(text)
        default: return word(text) ?? .string(text)
        }
    }

    private static func word(_ text: String) -> ScalarValue? {
        guard text.utf8.count <= 5 else { return nil }
        return switch text {
        case "~", "null", "Null", "NULL": .null
        case "true", "True", "TRUE": .bool(true)
        case "false", "False", "FALSE": .bool(false)
        default: nil
        }
    }

    private static func number(_ text: String) -> ScalarValue? {
        if let shape = NumberShape(text) { return value(text, shape) }
        return switch text {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": .float(.infinity)
        case "-.inf", "-.Inf", "-.INF": .float(-.infinity)
        case ".nan", ".NaN", ".NAN": .float(.nan)
        default: nil
        }
    }

    private static func value(_ text: String, _ shape: NumberShape) -> ScalarValue? {
        switch shape {
        case .octal: Int64(text.dropFirst(2), radix: 8).map { .int($0) }
        case .hexadecimal: Int64(text.dropFirst(2), radix: 16).map { .int($0) }
        case .integer: Int64(text).map { .int($0) } ?? Double(text).map { .float($0) }
        case .float: Double(text).map { .float($0) }
        }
    }
}

/// How a number of the core schema is written.
private enum NumberShape {
    case octal
    case hexadecimal
    case integer
    case float

    init?(_ text: String) {
        var rest = Substring(text).utf8
        if text.hasPrefix("0o"), let shape = Self.digits(rest.dropFirst(2), "01234567", .octal) {
            self = shape
            return
        }
        if text.hasPrefix("0x"), let shape = Self.digits(rest.dropFirst(2), "0123456789abcdefABCDEF", .hexadecimal) {
            self = shape
            return
        }
        if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        guard let shape = Self.decimal(rest) else { return nil }
        self = shape
    }

    private static func digits(_ rest: Substring.UTF8View, _ allowed: StaticString, _ shape: Self) -> Self? {
        let allowed = UnsafeBufferPointer(start: allowed.utf8Start, count: allowed.utf8CodeUnitCount)
        return !rest.isEmpty && rest.allSatisfy(allowed.contains) ? shape : nil
    }

    /// `[0-9]*(\.[0-9]*)?([eE][-+]?[0-9]+)?` with a digit before the exponent.
    private static func decimal(_ unsigned: Substring.UTF8View) -> Self? {
        var rest = unsigned
        let whole = takeDigits(&rest)
        if rest.isEmpty {
            let isPadded = whole > 1 && unsigned.first == UInt8(ascii: "0")
            return whole > 0 && !isPadded ? .integer : nil
        }
        var fraction = 0
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = takeDigits(&rest)
        }
        guard whole + fraction > 0 else { return nil }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard takeDigits(&rest) > 0 else { return nil }
        }
        return rest.isEmpty ? .float : nil
    }

    private static func takeDigits(_ rest: inout Substring.UTF8View) -> Int {
        let after = rest.drop { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        defer { rest = after }
        return rest.count - after.count
    }
}
