/// What in a text decides how it can be written.
struct TextTraits {
    /// Whether the text can stand unquoted in block context, were it not for ``Ambiguity``.
    private(set) var isPlain = true
    /// Whether only a double-quoted scalar can hold the text on one line.
    private(set) var needsEscapes = false
    private(set) var hasQuoteOrBackslash = false
    private var hasLineBreak = false
    private var hasUnprintable = false
    private var hasVisible = false

    /// Whether a literal block can hold the text and it has several lines.
    var canBeBlock: Bool { hasLineBreak && hasVisible && !hasUnprintable }

    init(_ text: String) {
        var text = text
        let isASCII = text.withUTF8 { bytes in
            var previous = UInt8(ascii: " ")
            var isASCII = true
            for byte in bytes {
                take(byte, after: previous)
                if byte >= 0x80 { isASCII = false }
                previous = byte
            }
            if previous == UInt8(ascii: " ") || previous == UInt8(ascii: ":") { isPlain = false }
            if let first = bytes.first, first == UInt8(ascii: " ") || Self.isIndicator(first) { isPlain = false }
            return isASCII
        }
        if !isASCII && !text.unicodeScalars.allSatisfy({ $0.isASCII || Self.isPrintable($0) }) {
            isPlain = false
            needsEscapes = true
            hasUnprintable = true
        }
    }

    private mutating func take(_ byte: UInt8, after previous: UInt8) {
        switch byte {
        case UInt8(ascii: "]")...UInt8(ascii: "~"), UInt8(ascii: "$")...UInt8(ascii: "["): hasVisible = true
        case UInt8(ascii: " "): if previous == UInt8(ascii: ":") { isPlain = false }
        case UInt8(ascii: "\n"):
            isPlain = false
            needsEscapes = true
            hasLineBreak = true
        case UInt8(ascii: "\t"):
            isPlain = false
            needsEscapes = true
        case 0..<0x20, 0x7F:
            isPlain = false
            needsEscapes = true
            hasUnprintable = true
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            hasQuoteOrBackslash = true
            hasVisible = true
        case UInt8(ascii: "#"):
            hasVisible = true
            if previous == UInt8(ascii: " ") { isPlain = false }
        default: hasVisible = true
        }
    }

    private static func isIndicator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: "*"),
            UInt8(ascii: "!"), UInt8(ascii: "|"), UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "\""),
            UInt8(ascii: "%"), UInt8(ascii: "@"), UInt8(ascii: "`"):
            true
        default: false
        }
    }

    /// Whether a character shows itself: no control, no line break or space but the common one, nothing that hides or
    /// reorders text (https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters), no byte order mark.
    static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0xA0, 0xAD, 0x61C, 0x1680, 0x180E, 0x2000...0x200F, 0x2028...0x202F, 0x205F...0x206F,
            0x3000, 0xFEFF, 0xFFF0...0xFFFB, 0xE0000...0xE0FFF:
            false
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }
}
