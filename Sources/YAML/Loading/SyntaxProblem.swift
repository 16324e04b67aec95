import CLibYAML

/// Where and why libyaml stopped.
struct SyntaxProblem: Error {
    var line: Int
    var column: Int
    var what: String
    var hint: String?

    init(_ parser: yaml_parser_t, bytes: UnsafeBufferPointer<UInt8>) {
        let problem = parser.problem.map { String(cString: $0) } ?? "there is not enough memory to read it"
        if parser.error == YAML_SCANNER_ERROR || parser.error == YAML_PARSER_ERROR {
            self.init(misplaced: problem, parser, SourceText(bytes))
        } else {
            self.init(unreadable: problem, offset: parser.problem_offset, bytes)
        }
    }

    private init(misplaced problem: String, _ parser: yaml_parser_t, _ source: SourceText) {
        line = parser.problem_mark.line + 1
        column = parser.problem_mark.column + 1
        what = problem
        hint = source.hint(line: line, column: column)
        guard let context = parser.context.map({ String(cString: $0) }) else { return }
        let start = (line: parser.context_mark.line + 1, column: parser.context_mark.column + 1)
        what += start.line == line ? " \(context)" : " \(context) that starts on line \(start.line)"
        if hint == nil { hint = source.hint(unfinishedFrom: start) }
        if hint == nil && parser.flow_level > 0 {
            hint = "separate items with commas and close every `[` and `{`"
        } else if hint == nil && parser.error == YAML_PARSER_ERROR {
            hint = "check the indentation: what belongs together begins in the same column"
        }
    }

    /// Bytes that are not text: the reader knows an offset only.
    private init(unreadable problem: String, offset: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        let before = bytes.prefix(min(offset, bytes.count))
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        line = before.count(where: { $0 == UInt8(ascii: "\n") }) + 1
        column = before[lineStart...].count(where: { $0 & 0xC0 != 0x80 }) + 1
        what = problem
        hint = "save the file as UTF-8 text without control characters"
    }
}
