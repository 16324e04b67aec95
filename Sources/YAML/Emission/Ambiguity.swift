/// Strings that some reader takes for a null, bool, number, date, merge key or marker when they stand plain.
///
/// The union of YAML 1.2 core, YAML 1.1 (https://yaml.org/type/) and what readers add: commas in Ruby's numbers, every
/// letter case. Quoting too much is harmless, too little is not.
enum Ambiguity {
    private static let words: Set<String> = [
        "~", "null", "nil", "none", "y", "n", "yes", "no", "true", "false", "on", "off", "=", "<<", "-", "nan", "inf",
        "infinity",
    ]
    /// Compared as bytes: as a `Character`, a space with an accent after it is not a space.
    private static let markers = ["- ", "---", "..."]

    /// Whether quotes are needed.
    static func isPossible(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first else { return true }
        switch first {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return isNumberOrDate(bytes)
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            return markers.contains { bytes.starts(with: $0.utf8) } || isNumberOrDate(bytes)
                || isSpecialFloat(text)
        case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: "~"): return words.contains(text)
        default: return isInitial(first) && bytes.count <= 8 && words.contains(text.lowercased())
        }
    }

    /// How a word of letters begins; it spares most strings the look-up.
    private static func isInitial(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "n"), UInt8(ascii: "y"), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "o"),
            UInt8(ascii: "i"):
            true
        default: false
        }
    }

    private static func isNumberOrDate(_ bytes: String.UTF8View) -> Bool {
        let isDate = bytes.prefix(4).allSatisfy(isDigit) && bytes.dropFirst(4).first == UInt8(ascii: "-")
        if isDate { return true }
        // Without a digit, letters such as those of `-c` make no number.
        return bytes.allSatisfy(isOfNumber) && (bytes.contains(where: isDigit) || !bytes.contains(where: isLetter))
    }

    private static func isSpecialFloat(_ text: String) -> Bool {
        let rest = text.drop { $0 == "+" || $0 == "-" || $0 == "." }
        return rest.utf8.count <= 8 && words.contains(rest.lowercased())
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Any character of a number in any base, with signs, separators and exponents.
    private static func isOfNumber(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "x"),
            UInt8(ascii: "X"), UInt8(ascii: "o"), UInt8(ascii: "O"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "-"):
            true
        default: isDigit(byte)
        }
    }
}
