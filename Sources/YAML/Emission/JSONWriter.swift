extension Node {
    /// The node as JSON (RFC 8259), keys in order; tags are left out.
    ///
    /// Plain numbers become JSON numbers of the same value (`0o17` is 15); `.inf` and `.nan`, which JSON lacks, become
    /// strings.
    /// - Parameter pretty: indented by two columns, else on one line without spaces.
    package func json(pretty: Bool = false) -> String {
        var writer = JSONWriter(isPretty: pretty)
        writer.write(self, depth: 0)
        return writer.text
    }
}

private struct JSONWriter {
    private var output: [UInt8] = []
    private let isPretty: Bool

    init(isPretty: Bool) { self.isPretty = isPretty }

    var text: String { String(decoding: output, as: UTF8.self) }

    mutating func write(_ node: Node, depth: Int) {
        switch node.content {
        case .scalar(let scalar): write(scalar)
        case .sequence(let items):
            list(items, "[", "]", depth: depth) { writer, item in writer.write(item, depth: depth + 1) }
        case .mapping(let mapping):
            list(mapping.entries, "{", "}", depth: depth) { writer, entry in
                writer.write(string: entry.key)
                writer.write(writer.isPretty ? ": " : ":")
                writer.write(entry.value, depth: depth + 1)
            }
        }
    }

    private mutating func list<Item>(
        _ items: [Item], _ open: String, _ close: String, depth: Int, write writeItem: (inout JSONWriter, Item) -> Void
    ) {
        write(open)
        for (position, item) in items.enumerated() {
            if position > 0 { write(",") }
            breakLine(depth + 1)
            writeItem(&self, item)
        }
        if !items.isEmpty { breakLine(depth) }
        write(close)
    }

    private mutating func breakLine(_ depth: Int) {
        guard isPretty else { return }
        write("\n")
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    private mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { output.append(contentsOf: $0) }
    }

    private mutating func write(_ scalar: Scalar) {
        switch scalar.value {
        case .null: write("null")
        case .bool(let value): write(value ? "true" : "false")
        case .int(let value): write(String(value))
        case .float(let value):
            if value.isFinite { write(number: scalar.text, value) } else { write(string: scalar.text) }
        case .string(let text): write(string: text)
        }
    }

    /// A number as written where JSON allows that, so that no digit is lost.
    private mutating func write(number text: String, _ value: Double) {
        let unsigned = text.utf8.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
        let whole = unsigned.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let rest = unsigned.utf8.dropFirst(whole.count)
        let isPadded = whole.count > 1 && whole.first == UInt8(ascii: "0")
        let next = rest.dropFirst().first.map { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        let isDotted = rest.first == UInt8(ascii: ".")
        write(whole.isEmpty || isPadded || (isDotted && !next) ? "\(value)" : text)
    }

    private mutating func write(string: String) {
        output.append(UInt8(ascii: "\""))
        if string.utf8.allSatisfy({ $0 < 0x80 }) { write(ascii: string) } else { write(scalarsOf: string) }
        output.append(UInt8(ascii: "\""))
    }

    private mutating func write(ascii string: String) {
        var string = string
        string.withUTF8 { bytes in
            var start = bytes.startIndex
            for (position, byte) in bytes.enumerated() where Self.needsEscape(Unicode.Scalar(byte)) {
                output.append(contentsOf: bytes[start..<position])
                write(Self.escape(Unicode.Scalar(byte)))
                start = position + 1
            }
            output.append(contentsOf: bytes[start...])
        }
    }

    private mutating func write(scalarsOf string: String) {
        for scalar in string.unicodeScalars {
            if Self.needsEscape(scalar) {
                write(Self.escape(scalar))
            } else {
                output.append(contentsOf: UTF8.encode(scalar) ?? .init())
            }
        }
    }

    /// What JSON requires, and what would not show or what YAML readers, whom JSON may be given to, do not take.
    private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\"" || scalar == "\\" || (scalar.value <= 0xFFFF && !TextTraits.isPrintable(scalar))
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default:
            let digits = String(scalar.value, radix: 16)
            return "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)"
        }
    }
}
