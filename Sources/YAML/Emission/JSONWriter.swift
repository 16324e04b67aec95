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
        var string = string
        output.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
            var start = bytes.startIndex
            for (position, byte) in bytes.enumerated() where Self.needsEscape(byte) {
                output.append(contentsOf: bytes[start..<position])
                write(Self.escape(byte))
                start = position + 1
            }
            output.append(contentsOf: bytes[start...])
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F
    }

    private static func escape(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case UInt8(ascii: "\n"): "\\n"
        case UInt8(ascii: "\r"): "\\r"
        case UInt8(ascii: "\t"): "\\t"
        default: "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))"
        }
    }
}
