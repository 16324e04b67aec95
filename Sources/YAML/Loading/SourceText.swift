/// The text of an input, to tell from it how to fix a syntax error.
struct SourceText {
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The edit that most likely fixes a syntax error at this place, if what stands there tells.
    func hint(line: Int, column: Int) -> String? {
        let text = scalars(line: line)
        if text.prefix(while: { $0 == " " || $0 == "\t" }).contains("\t") {
            return "indent with spaces: YAML does not allow tabs there"
        }
        guard column <= text.count else { return nil }
        switch text[column - 1] {
        case "\t": return "write spaces instead of the tab"
        case "@", "`", "%":
            return "put the value in quotes: a plain one cannot start with `\(text[column - 1])`"
        case ":": return "put the value in quotes if the `:` is part of it; else check the indentation"
        default: return nil
        }
    }

    /// The edit that fixes what begins at this place and does not go on as it must.
    func hint(unfinishedFrom start: (line: Int, column: Int)) -> String? {
        let text = scalars(line: start.line)
        guard start.column <= text.count else { return nil }
        return switch text[start.column - 1] {
        case "\"", "'":
            "close the quote of line \(start.line), column \(start.column), and double or escape those inside"
        case "*", "&", "!": "put the value in quotes if it is not an alias, anchor or tag"
        default: nil
        }
    }

    /// The first characters of a line, counted from one.
    private func scalars(line: Int) -> [Unicode.Scalar] {
        var start = bytes.startIndex
        for _ in 1..<max(line, 1) {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return [] }
            start = end + 1
        }
        let text = bytes[start...].prefix(2000).prefix { $0 != UInt8(ascii: "\n") }
        return Array(String(decoding: text, as: UTF8.self).unicodeScalars)
    }
}
