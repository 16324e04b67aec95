package import YAML

/// What is not JSON: where it broke.
package struct JSONProblem: Error, Hashable, Sendable, CustomStringConvertible {
    package var message: String
    /// The byte at which it was found, from zero.
    package var offset: Int

    package var description: String { "\(message) at byte \(offset)" }
}

/// Reads one JSON text (RFC 8259) as a tree; keys keep their order.
///
/// FoundationEssentials reads JSON only into types known beforehand; what a server answers is compared field by field here.
package func readJSON(_ bytes: some Sequence<UInt8>) throws(JSONProblem) -> Node {
    var reader = JSONReader(bytes: Array(bytes))
    return try reader.document()
}

private struct JSONReader {
    let bytes: [UInt8]
    var index = 0
    var depth = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func document() throws(JSONProblem) -> Node {
        let node = try value()
        skipSpace()
        guard index == bytes.count else { throw problem("unexpected text after the value") }
        return node
    }

    private mutating func value() throws(JSONProblem) -> Node {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { reader throws(JSONProblem) in try reader.object() }
        case UInt8(ascii: "["): return try nested { reader throws(JSONProblem) in try reader.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true")
        case UInt8(ascii: "f"): return try word("false")
        case UInt8(ascii: "n"): return try word("null")
        default: return try number()
        }
    }

    /// Deeper than any object of the API: a hostile server must not exhaust the stack.
    private mutating func nested(
        _ body: (inout JSONReader) throws(JSONProblem) -> Node
    ) throws(JSONProblem) -> Node {
        depth += 1
        guard depth <= 200 else { throw problem("values are nested too deeply") }
        defer { depth -= 1 }
        index += 1
        return try body(&self)
    }

    private mutating func object() throws(JSONProblem) -> Node {
        var entries: [Mapping.Entry] = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return Node(.mapping(Mapping())) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw problem("a key is expected") }
            let key = try string()
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw problem("a colon is expected") }
            entries.append(Mapping.Entry(key: key, value: try value()))
            skipSpace()
            if take(UInt8(ascii: "}")) { return Node(.mapping(Mapping(entries))) }
            guard take(UInt8(ascii: ",")) else { throw problem("a comma or a closing brace is expected") }
        }
    }

    private mutating func array() throws(JSONProblem) -> Node {
        var items: [Node] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .list([]) }
        while true {
            items.append(try value())
            skipSpace()
            if take(UInt8(ascii: "]")) { return .list(items) }
            guard take(UInt8(ascii: ",")) else { throw problem("a comma or a closing bracket is expected") }
        }
    }

    private mutating func string() throws(JSONProblem) -> String {
        index += 1
        let start = index
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { index += 1 }
        var result = bytes[start..<index]
        if take(UInt8(ascii: "\"")) { return String(decoding: result, as: UTF8.self) }
        while let byte = next {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"): result.append(contentsOf: Array(String(try escape()).utf8))
            default: result.append(byte)
            }
        }
        throw problem("a string does not end")
    }

    private mutating func escape() throws(JSONProblem) -> Character {
        guard let byte = next else { throw problem("a string does not end") }
        index += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Character(Unicode.Scalar(byte))
        case UInt8(ascii: "u"): return Character(try codePoint())
        default: throw problem("an unknown escape")
        }
    }

    /// A lone surrogate, which no text may hold, becomes the replacement character.
    private mutating func codePoint() throws(JSONProblem) -> Unicode.Scalar {
        let first = try hexDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let saved = index
        if first < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) {
            let second = try hexDigits()
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return scalar
            }
            index = saved
        }
        return "\u{FFFD}"
    }

    private mutating func hexDigits() throws(JSONProblem) -> UInt32 {
        guard index + 4 <= bytes.count,
            let value = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16)
        else { throw problem("four hexadecimal digits are expected") }
        index += 4
        return value
    }

    private mutating func number() throws(JSONProblem) -> Node {
        let start = index
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.eE".utf8.contains(byte) {
            index += 1
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard Double(text) != nil else {
            index = start
            throw problem("a value is expected")
        }
        return .plain(text)
    }

    private mutating func word(_ word: String) throws(JSONProblem) -> Node {
        guard bytes[index...].starts(with: word.utf8) else { throw problem("a value is expected") }
        index += word.utf8.count
        return .plain(word)
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private func problem(_ message: String) -> JSONProblem { JSONProblem(message: message, offset: index) }
}
