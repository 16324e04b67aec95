import TestSupport
import YAML

/// Random documents, the same for the same seed; their strings are what readers stumble over.
struct RandomTrees {
    var generator: SeededGenerator
    /// The plain scalars that occur.
    var plains = [
        "", "null", "~", "true", "False", "0", "-7", "65536", "0o17", "0x1F", "1.5", ".5", "1e3", ".inf", "-1.5e-7",
    ]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    static let awkward = [
        "", " ", "  ", "\t", "\n", "\n\n", " \n", "\n ", "a", "a\n", "a\n\n", "a\n\n\n", "\na", "\n\na\n", " a", "a ",
        "a\n ",
        " a\n b\n", "  a\nb", "a\n  ", "a\n \nb", "\ta\nb", "a\n\tb\n", "a \nb \n", "a\r\nb", "a\rb", "yes", "No", "y",
        "n",
        "ON", "off", "true", "False", "null", "~", "NULL", "Null", "=", "<<", "-", "--", "---", "--- a", "...", "... b",
        "- a",
        "-a", "?", "? a", "?a", ":", ": a", ":a", "a:", "a: b", "a :b", "a:b", "#", "# a", "a #b", "a# b", "a#b", "[",
        "]", "[]",
        "{}", "{", "}", ",", "a, b", "&a", "*a", "!a", "|", ">", "|-\n a", "'", "''", "'a'", "it's", "\"", "\"a\"",
        "\\", "\\n",
        "%", "%a", "@a", "`a`", "0", "1", "-1", "+1", "01", "0755", "0o17", "0x1F", "0b101", "1_000", "1,000", "22:22",
        "1:2:3", "1e3", "1E3", "1.5", ".5", "5.", "1.e+3", "685.230_15e+03", ".inf", "-.INF", "+.inf", ".nan", ".NaN",
        "NaN",
        "Infinity", "2024-01-01", "2024-1-1", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43.10 -5", "12e03",
        "0xdeadbeef", "1.2.3", "10.0.0.1", "3.10", "é", "日本語", "🐳", "a\u{A0}b", "\u{A0}", "a\u{85}b", "a\u{2028}b",
        "a\u{2029}\nb", "\u{FEFF}a", "a\u{FEFF}", "a\u{0}b", "\u{1B}[0m", "a\u{7F}", "a\u{200B}", "a\u{202E}b",
        "\u{FFFE}",
        "\u{FFFF}", "\u{10FFFF}", "\u{1FFFE}", "e\u{301}", "\u{301}", "👩‍👩‍👧", "a\n---\nb", "a\n...\n",
        "#!/bin/sh\nset -e\n", "${A:-b}", "- \u{301}", "\"'\u{301}", "---\u{301}", "--- \u{301}", "a:\u{301}",
        "a: \u{301}", "a \u{301}#", "? \u{301}", "1\u{301}", "{{ a }}",
        "a\\\nb", "\"a\nb\"", "key: |\n  text\n", "- - -", "!!str", "*", "&", "<", "<<:", "a\n# b\n", "None", "nil",
        "١٢٣",
    ]

    mutating func string() -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<5: return Self.awkward.randomElement(using: &generator) ?? ""
        case 5..<8:
            let count = Int.random(in: 1...3, using: &generator)
            return (0..<count).map { _ in Self.awkward.randomElement(using: &generator) ?? "" }.joined()
        case 8: return letters(Array(" \n\t:#-'\"\\ab,[]{}?!&*|>%@`0.1eE+_x\r~=<".unicodeScalars))
        default: return letters((0...0x2FF).compactMap(Unicode.Scalar.init))
        }
    }

    private mutating func letters(_ alphabet: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            text.append(alphabet.randomElement(using: &generator) ?? "a")
        }
        return String(text)
    }

    private mutating func plain() -> Node { .plain(plains.randomElement(using: &generator) ?? "") }

    mutating func node(depth: Int, tags: Bool = true) -> Node {
        var node: Node
        switch Int.random(in: 0..<(depth > 0 ? 10 : 5), using: &generator) {
        case 0: node = plain()
        case 1..<5: node = .string(string())
        case 5..<7:
            node = .list(
                (0..<Int.random(in: 0...4, using: &generator)).map { _ in self.node(depth: depth - 1, tags: tags) })
        default:
            var mapping = Mapping()
            for _ in 0..<Int.random(in: 0...4, using: &generator) {
                mapping[string()] = self.node(depth: depth - 1, tags: tags)
            }
            node = Node(.mapping(mapping))
        }
        if tags && Int.random(in: 0..<12, using: &generator) == 0 {
            node.tag = ["!reset", "!override", "!a!b", "tag:example.com,2000:x", "!"].randomElement(using: &generator)
            if node.tag == "!" { node.tag = nil }
        }
        return node
    }
}
