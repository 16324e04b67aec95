import OrderedCollections
import YAML

/// One line of an environment or label file.
struct EnvironmentLine {
    var name: String
    /// nil: a bare name, which takes its value from elsewhere.
    var value: String?
    /// Whether variables in the value are replaced.
    var isTemplate: Bool
    var mark: Mark
}

/// Reads the lines of an env file: https://github.com/compose-spec/compose-spec/blob/main/05-services.md#env_file-format.
struct EnvironmentFileParser {
    private let text: [UInt8]
    private let file: String
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private(set) var lines: [EnvironmentLine] = []
    private(set) var problems: [Diagnostic] = []

    init(_ bytes: [UInt8], file: String) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        text = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
        self.file = file
    }

    /// The lines of a file, and what is wrong with it.
    static func parse(
        _ bytes: [UInt8], file: String, isRaw: Bool = false
    ) -> (lines: [EnvironmentLine], problems: [Diagnostic]) {
        var parser = EnvironmentFileParser(bytes, file: file)
        if isRaw { parser.parseRaw() } else { parser.parse() }
        return (parser.lines, parser.problems)
    }

    private mutating func parse() {
        while skipToStatement() { parseStatement() }
    }

    private var mark: Mark { Mark(file: file, line: line, column: index - lineStart + 1) }

    private var byte: UInt8? { index < text.count ? text[index] : nil }

    private mutating func advance() {
        if text[index] == newline {
            line += 1
            lineStart = index + 1
        }
        index += 1
    }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while let byte, condition(byte) { advance() }
    }

    private mutating func skipLine() { skip { $0 != newline } }

    /// Goes to the next line that is neither blank nor a comment; false at the end.
    private mutating func skipToStatement() -> Bool {
        while true {
            skip { isBlank($0) || $0 == newline }
            guard let byte else { return false }
            guard byte == UInt8(ascii: "#") else { return true }
            skipLine()
        }
    }

    private mutating func parseStatement() {
        skipExport()
        let start = index
        let place = mark
        skip { $0 != newline && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ":") }
        let name = trimmed(text[start..<index])
        guard check(name: name, at: place) else { return skipLine() }
        guard let byte, byte != newline else {
            lines.append(EnvironmentLine(name: name, value: nil, isTemplate: false, mark: place))
            return
        }
        advance()
        let hadBlank = self.byte.map(isBlank) ?? false
        skip(while: isBlank)
        let valuePlace = mark
        switch self.byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): parseQuoted(name: name, at: valuePlace)
        default: parseUnquoted(name: name, afterBlank: hadBlank, at: valuePlace)
        }
    }

    /// `export` before a name, if white space follows it.
    private mutating func skipExport() {
        let word = Array("export".utf8)
        guard text[index...].starts(with: word), index + 6 < text.count, isBlank(text[index + 6]) else { return }
        index += 6
        skip(while: isBlank)
    }

    private mutating func check(name: String, at place: Mark) -> Bool {
        if name.isEmpty {
            report("a value without a name", at: place, hint: "write NAME=value")
        } else if name.unicodeScalars.contains(where: { $0.properties.isWhitespace }) {
            report(
                "the name `\(shortened(name))` holds white space", at: place,
                hint: "write NAME=value, or # before a comment")
        } else if let wrong = name.unicodeScalars.first(where: { !isNameScalar($0) }) {
            report(
                "`\(wrong)` is not allowed in the name `\(shortened(name))`", at: place,
                hint: "use letters, digits and _")
        } else {
            return true
        }
        return false
    }

    private mutating func parseUnquoted(name: String, afterBlank: Bool, at place: Mark) {
        let start = index
        skipLine()
        var value = text[start..<index]
        let comment = value.indices.first { position in
            guard value[position] == UInt8(ascii: "#") else { return false }
            return position == start ? afterBlank : isBlank(value[position - 1])
        }
        if let comment { value = value[..<comment] }
        lines.append(EnvironmentLine(name: name, value: trimmed(value), isTemplate: true, mark: place))
    }

    private mutating func parseQuoted(name: String, at place: Mark) {
        let start = index
        let startLine = line
        let quote = text[index]
        advance()
        var content: [UInt8] = []
        while let byte, byte != quote {
            advance()
            guard byte == UInt8(ascii: "\\"), let next = self.byte else {
                content.append(byte)
                continue
            }
            if next != quote { content.append(byte) }
            content.append(next)
            advance()
        }
        guard byte == quote else {
            // The rest of the file was swallowed: go on after the line that opened the quote.
            index = start
            line = startLine
            skipLine()
            return report(
                "the quote that opens the value of \(name) is never closed", at: place,
                hint: "close it, or leave both out")
        }
        advance()
        let isDouble = quote == UInt8(ascii: "\"")
        let value = String(decoding: isDouble ? expandEscapes(content) : content, as: UTF8.self)
        lines.append(EnvironmentLine(name: name, value: value, isTemplate: isDouble, mark: place))
    }

    /// `format: raw`: values as they stand, as docker run's `--env-file` takes them.
    private mutating func parseRaw() {
        while index < text.count {
            skip(while: isBlank)
            let place = mark
            let start = index
            skipLine()
            var content = text[start..<index]
            if byte != nil { advance() }
            if content.last == UInt8(ascii: "\r") { content = content.dropLast() }
            guard let first = content.first, first != UInt8(ascii: "#") else { continue }
            let equals = content.firstIndex(of: UInt8(ascii: "="))
            let name = String(decoding: content[..<(equals ?? content.endIndex)], as: UTF8.self)
            guard check(rawName: name, at: place) else { continue }
            let value = equals.map { String(decoding: content[($0 + 1)...], as: UTF8.self) }
            lines.append(EnvironmentLine(name: name, value: value, isTemplate: false, mark: place))
        }
    }

    private mutating func check(rawName name: String, at place: Mark) -> Bool {
        if name.isEmpty {
            report("a value without a name", at: place, hint: "write NAME=value")
        } else if name.unicodeScalars.contains(where: { $0.properties.isWhitespace }) {
            report("the name `\(shortened(name))` holds white space", at: place, hint: "write NAME=value")
        } else {
            return true
        }
        return false
    }

    private mutating func report(_ what: String, at place: Mark, hint: String) {
        problems.append(Diagnostic(.error, at: place, what, hint: hint))
    }
}

private let newline = UInt8(ascii: "\n")

/// White space other than a line break.
private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") || byte == 0x0B
        || byte == 0x0C
}

private func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "_", ".", "-", "[", "]": true
    default: scalar.properties.isAlphabetic || scalar.properties.numericType != nil
    }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    var bytes = bytes
    while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
    return String(decoding: bytes, as: UTF8.self)
}

/// What may be shown of a line: a malformed one may hold a secret, so no more than its first word.
private func shortened(_ name: String) -> String {
    let word = name.prefix { !$0.isWhitespace }
    return word.count < name.count || word.count > 32 ? "\(word.prefix(32))…" : String(word)
}
