import TestSupport
import Testing
import YAML

@Suite struct HostileInputTests {
    @Test func `expanded aliases are counted`() {
        var laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        for level in 1..<12 {
            let aliases = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",")
            laughs += "a\(level): &a\(level) [\(aliases)]\n"
        }
        #expect(problems(laughs).contains("more than 1000000 values, aliases expanded"))
        let text = "a: &a \(String(repeating: "x", count: 1_000_000))\nb: [\(String(repeating: "*a,", count: 100))]"
        #expect(problems(text).contains("more than 67108864 bytes of text, aliases expanded"))
    }

    @Test(arguments: ["[", "{a: ", "- ", "? ", "[[", "{a: ["])
    func `nesting is bounded`(opening: String) {
        #expect(problems(String(repeating: opening, count: 100_000)).contains("nests deeper than 128 levels"))
    }

    @Test func `aliases do not nest deeper than text`() {
        let chain = "a0: &a0 [x]\n" + (1..<500).map { "a\($0): &a\($0) [*a\($0 - 1)]\n" }.joined()
        #expect(problems(chain).contains("nests deeper than 128 levels"))
        let flat = "a0: &a0 [x]\n" + (1..<500).map { "a\($0): &a\($0) [x]\n" }.joined()
        #expect(problems(flat) == "")
    }

    @Test func `depth is counted in levels`() {
        let limits = YAMLLimits(bytes: 1000, depth: 3, nodes: 1000, expandedBytes: 1000)
        #expect(problems("[[x]]", limits: limits) == "")
        #expect(problems("[[[x]]]", limits: limits) != "")
        #expect(problems("[&a x, [*a]]", limits: limits) == "")
        #expect(problems("[&a [x], *a]", limits: limits) == "")
        #expect(problems("[&a [x], [*a]]", limits: limits) != "")
    }

    @Test func `size is bounded`() {
        let limits = YAMLLimits(bytes: 10, depth: 10, nodes: 4, expandedBytes: 10)
        #expect(problems("[a, b, c]", limits: limits) == "")
        #expect(problems("[a,b,c,d]", limits: limits).contains("more than 4 values"))
        #expect(problems("[a, b, cdef]", limits: limits).contains("has 12 bytes; at most 10 are read"))
    }

    @Test(
        arguments: [
            ([0x61, 0x3A, 0x20, 0xFF], "test.yml:1:4: error: invalid leading UTF-8 octet"),
            ([0x61, 0x0A, 0xC3, 0xA9, 0xC3], "test.yml:2:2: error: incomplete UTF-8 octet sequence"),
            ([0xC0, 0x80], "test.yml:1:1: error: invalid length of a UTF-8 sequence"),
            ([0xED, 0xA0, 0x80], "test.yml:1:1: error: invalid Unicode character"),
            ([0x61, 0x00], "test.yml:1:2: error: control characters are not allowed"),
            ([0x1B], "control characters are not allowed"),
            ([0xFF, 0xFE, 0x61], "incomplete UTF-16 character"),
            ([0xFF, 0xFE, 0x00, 0xD8], "UTF-16"),
        ] as [([UInt8], String)])
    func `bytes that are no text are refused`(bytes: [UInt8], message: String) {
        do throws(InvalidInput) {
            _ = try loadYAML(bytes, file: "test.yml")
            Issue.record("loaded")
        } catch {
            #expect(error.description.contains(message), "\(error)")
            #expect(error.description.contains("save the file as UTF-8"))
        }
    }

    @Test func `a byte order mark is no text`() throws {
        let node = try load("\u{FEFF}a: b\n")
        #expect(node.mapping?.entries.first?.key == "a")
        #expect(node.mapping?.keyMark("a")?.description == "test.yml:1:1")
        #expect(try load("\u{FEFF}").isNull)
        let wide = try loadYAMLDocument(
            [0xFF, 0xFE] + "a: é\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }, file: "")
        #expect(wide.json() == #"{"a":"é"}"#)
    }

    @Test func `carriage returns end lines too`() throws {
        let node = try load("a: b\r\nc:\r\n  - d\r\ne: |\r\n  f\r\n  g\r\n")
        #expect(node.json() == #"{"a":"b","c":["d"],"e":"f\ng\n"}"#)
        #expect(node.mapping?.keyMark("e")?.line == 4)
    }

    @Test(arguments: [
        ("a:\n\tb: c\n", "test.yml:2:1", "indent with spaces"),
        ("a:\n  b: c\n\td: e\n", "test.yml:3:1", "indent with spaces"),
        ("a: @b\n", "test.yml:1:4", "cannot start with `@`"),
        ("é: `b`\n", "test.yml:1:4", "cannot start with ``"),
        ("a: %b\n", "test.yml:1:4", "cannot start with `%`"),
        ("a: b: c\n", "test.yml:1:5", "put the value in quotes"),
        ("a: \"b\nc: d\n", "test.yml:3:1", "close the quote of line 1, column 4"),
        ("a: 'it's'\n", "test.yml:1:8", "check the indentation"),
        ("a: [b\nc: d\n", "test.yml:2:", "put the value in quotes if the `:` is part of it"),
        ("a: [b, c\n", "test.yml:2:1", "close every `[`"),
        ("a: b\n c: d\n", "test.yml:2:3", "check the indentation"),
        ("a:\n  - b\n c: d\n", "test.yml:3:2", "check the indentation"),
        ("a:\n    b: c\n  d: e\n", "test.yml:3:3", "check the indentation"),
        ("a: * * *\n", "test.yml:1:5", "put the value in quotes"),
    ])
    func `a syntax error has a place and a hint`(text: String, place: String, hint: String) {
        #expect(problems(text).hasPrefix(place), "\(problems(text))")
        #expect(problems(text).contains(hint), "\(problems(text))")
    }
}
