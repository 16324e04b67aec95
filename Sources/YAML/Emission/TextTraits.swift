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
        var previous: UInt8 = 0x20
        var isASCII = true
        for byte in text.utf8 {
            take(byte, after: previous)
            if byte >= 0x80 { isASCII = false }
            previous = byte
        }
        if text.isEmpty || previous == 0x20 || previous == UInt8(ascii: ":") { isPlain = false }
        if let first = text.utf8.first, first == 0x20 || Self.isIndicator(first) { isPlain = false }
        // A string of its own text: `-` and `?` start plain scalars where no space follows.
        if !isASCII && !text.unicodeScalars.allSatisfy(Self.isPrintable) && !hasOnlyPrintableOrBreaks(text) {
            (isPlain, needsEscapes, hasUnprintable) = (false, true, true)
        }
    }

    private mutating func take(_ byte: UInt8, after previous: UInt8) {
        switch byte {
        case 0x0A: (isPlain, needsEscapes, hasLineBreak) = (false, true, true)
        case 0x09: (isPlain, needsEscapes) = (false, true)
        case 0..<0x20, 0x7F: (isPlain, needsEscapes, hasUnprintable) = (false, true, true)
        case 0x20: if previous == UInt8(ascii: ":") { isPlain = false }
        case UInt8(ascii: "#"):
            hasVisible = true
            if previous == 0x20 { isPlain = false }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): (hasQuoteOrBackslash, hasVisible) = (true, true)
        default: hasVisible = true
        }
    }

    private func hasOnlyPrintableOrBreaks(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || Self.isPrintable($0) }
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
