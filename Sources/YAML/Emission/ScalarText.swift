/// How a scalar's text is written so that every reader takes it for what it is.
enum ScalarText {
    /// A literal block: its header (`|2-`) and its lines without indentation.
    struct Block {
        var header: String
        var lines: [ArraySlice<UInt8>]
    }

    /// A scalar on one line: as it stands where it is a null, bool or number, else as the string that it is.
    static func line(_ scalar: Scalar) -> String {
        guard scalar.isPlain else { return line(scalar.text) }
        if case .string = scalar.value { return line(scalar.text) }
        return scalar.text.isEmpty ? "null" : scalar.text
    }

    /// A string on one line, quoted unless it is plain to every reader.
    static func line(_ string: String) -> String {
        let traits = TextTraits(string)
        if traits.isPlain && !Ambiguity.isPossible(string) { return string }
        if traits.needsEscapes { return doubleQuoted(string) }
        if traits.hasQuoteOrBackslash {
            return "'\(string.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
        }
        return "\"\(string)\""
    }

    /// A string of several lines as a literal block, or nil where one cannot hold it.
    static func block(_ scalar: Scalar) -> Block? {
        let traits = TextTraits(scalar.text)
        guard traits.canBeBlock else { return nil }
        var bytes = Array(scalar.text.utf8)[...]
        let breaks = bytes.reversed().prefix { $0 == UInt8(ascii: "\n") }.count
        if breaks > 0 { bytes.removeLast() }
        // A reader guesses the indentation from the first line that has text, unless the header tells.
        let leadsWithSpace = bytes.first.map { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A } ?? false
        let chomping = breaks == 0 ? "-" : breaks == 1 ? "" : "+"
        return Block(
            header: "|\(leadsWithSpace ? "2" : "")\(chomping)",
            lines: bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false))
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
