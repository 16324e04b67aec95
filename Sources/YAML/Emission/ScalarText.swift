/// How a scalar's text is written so that every reader takes it for what it is.
enum ScalarText {
    /// A literal block: its header (`|2-`) and its lines without indentation.
    struct Block {
        var header: String
        var lines: [ArraySlice<UInt8>]
    }

    /// A scalar that is not a string, as it stands; nil for a string.
    static func plain(_ scalar: Scalar) -> String? {
        guard scalar.isPlain else { return nil }
        if case .string = scalar.value { return nil }
        return scalar.text.isEmpty ? "null" : scalar.text
    }

    /// A string on one line, quoted unless it is plain to every reader.
    static func line(_ string: String, _ traits: TextTraits) -> String {
        if traits.isPlain && !Ambiguity.isPossible(string) { return string }
        if traits.needsEscapes { return doubleQuoted(string) }
        return traits.hasQuoteOrBackslash ? singleQuoted(string) : "\"\(string)\""
    }

    /// A string of several lines as a literal block, or nil where one cannot hold it.
    static func block(_ string: String, _ traits: TextTraits) -> Block? {
        guard traits.canBeBlock else { return nil }
        var bytes = Array(string.utf8)[...]
        let breaks = bytes.reversed().prefix { $0 == UInt8(ascii: "\n") }.count
        if breaks > 0 { bytes.removeLast() }
        // A reader guesses the indentation from the first line that has text, unless the header tells.
        let leadsWithSpace = bytes.first.map { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A } ?? false
        let chomping = breaks == 0 ? "-" : breaks == 1 ? "" : "+"
        return Block(
            header: "|\(leadsWithSpace ? "2" : "")\(chomping)",
            lines: bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false))
    }

    // Scalar by scalar: as a `Character`, a quote with an accent after it is not a quote.
    private static func singleQuoted(_ string: String) -> String {
        var quoted = "'".unicodeScalars
        for scalar in string.unicodeScalars {
            if scalar == "'" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("'")
        return String(quoted)
    }

    private static func doubleQuoted(_ string: String) -> String {
        var quoted = "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            case "\0": quoted += "\\0"
            default:
                if TextTraits.isPrintable(scalar) {
                    quoted.unicodeScalars.append(scalar)
                } else {
                    quoted += escape(scalar)
                }
            }
        }
        return quoted + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let (letter, width) = scalar.value <= 0xFF ? ("x", 2) : scalar.value <= 0xFFFF ? ("u", 4) : ("U", 8)
        return "\\\(letter)" + String(repeating: "0", count: width - digits.count) + digits
    }
}
