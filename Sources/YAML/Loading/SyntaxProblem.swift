import CLibYAML

/// Where and why libyaml stopped.
struct SyntaxProblem: Error {
    var line: Int
    var column: Int
    var what: String
    var mend: String?

    init(_ parser: yaml_parser_t, bytes: UnsafeBufferPointer<UInt8>) {
        let problem = parser.problem.map { String(cString: $0) } ?? "not enough memory"
        guard parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR else {
            self.init(unreadable: problem, offset: parser.problem_offset, bytes: bytes)
            return
        }
        let line = parser.problem_mark.line + 1
        let column = parser.problem_mark.column + 1
        var what = problem
        if let context = parser.context.map({ String(cString: $0) }) {
            let start = parser.context_mark.line + 1
            what += start == line ? " \(context)" : " \(context) that starts on line \(start)"
        }
        let mend = SourceLine(bytes, number: line)?.mend(column: column)
        self.init(line: line, column: column, what: what, mend: mend)
    }

    private init(line: Int, column: Int, what: String, mend: String?) {
        self.line = line
        self.column = column
        self.what = what
        self.mend = mend
    }

    /// Bytes that are no text: the reader knows an offset only.
    private init(unreadable problem: String, offset: Int, bytes: UnsafeBufferPointer<UInt8>) {
        let before = bytes.prefix(min(offset, bytes.count))
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count(where: { $0 == UInt8(ascii: "\n") }) + 1
        column = before[lineStart...].count(where: { $0 & 0xC0 != 0x80 }) + 1
        what = problem
        mend = "save the file as UTF-8 text without control characters"
    }
}

/// The text of one line of an input, to tell what is wrong with it.
private struct SourceLine {
    private let bytes: Slice<UnsafeBufferPointer<UInt8>>

    init?(_ bytes: UnsafeBufferPointer<UInt8>, number: Int) {
        var start = bytes.startIndex
        for _ in 1..<max(number, 1) {
            guard let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
            start = end + 1
        }
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
        self.bytes = bytes[start..<end]
    }

    /// The edit that most likely mends a syntax error at a column of this line.
    func mend(column: Int) -> String? {
        let indentation = bytes.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        if indentation.contains(UInt8(ascii: "\t")) { return "indent with spaces: YAML does not allow tabs there" }
        let rest = bytes.dropFirst(column - 1)
        switch rest.first {
        case UInt8(ascii: "\t"): return "write spaces instead of the tab"
        case UInt8(ascii: "@"), UInt8(ascii: "`"), UInt8(ascii: "%"):
            return
                "put the value in quotes: a plain one cannot start with `\(Character(Unicode.Scalar(rest[rest.startIndex])))`"
        case UInt8(ascii: ":"): return "put the value in quotes if its `: ` is text; else check the indentation"
        case UInt8(ascii: "*"), UInt8(ascii: "&"), UInt8(ascii: "!"):
            return "put the value in quotes if it is no anchor, alias or tag"
        default: return nil
        }
    }
}
