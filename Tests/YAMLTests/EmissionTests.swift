import Testing
import YAML

@Suite struct EmissionTests {
    @Test func `collections are written in block style`() throws {
        let node = try load(
            """
            {a: {b: c, d: {}, e: []}, f: [g, {h: i, j: [k]}, [l, [m]], [], {}], nn: !override {o: p}, q: !x [r],
             s: [!y {t: u}, !z [v]]}
            """)
        #expect(
            node.yaml() == """
                a:
                  b: c
                  d: {}
                  e: []
                f:
                  - g
                  - h: i
                    j:
                      - k
                  - - l
                    - - m
                  - []
                  - {}
                nn: !override
                  o: p
                q: !x
                  - r
                s:
                  - !y
                    t: u
                  - !z
                    - v

                """)
    }

    @Test(arguments: [
        ("a", "a"), ("/bin/sh -c", "/bin/sh -c"), ("nginx:1.25", "nginx:1.25"), ("--flag=x", "--flag=x"), ("-v", "-v"),
        ("-c", "-c"), ("-e", "-e"),
        ("it's", "it's"), ("a, b", "a, b"), ("${A:-b}", "${A:-b}"), ("日本 🐳", "日本 🐳"), ("128Mi", "128Mi"),
        ("10s", "10s"),
        ("1.25-alpine", "1.25-alpine"), ("yesterday", "yesterday"), ("a#b", "a#b"), ("a\\b", "a\\b"),
        ("none of it", "none of it"),
        ("", #""""#), ("yes", #""yes""#), ("Off", #""Off""#), ("y", #""y""#), ("null", #""null""#), ("~", #""~""#),
        ("8080", #""8080""#), ("0755", #""0755""#), ("0x1F", #""0x1F""#), ("0o17", #""0o17""#), ("0b1", #""0b1""#),
        ("1_000", #""1_000""#), ("1e3", #""1e3""#), ("22:22", #""22:22""#), (".inf", #"".inf""#),
        ("-.INF", #""-.INF""#),
        ("+.5", #""+.5""#), ("2024-01-01", #""2024-01-01""#), ("2024-01-01T00:00:00Z", #""2024-01-01T00:00:00Z""#),
        ("<<", #""<<""#), ("=", #""=""#), ("-", #""-""#), ("--", #""--""#), (".", #"".""#), ("-1", #""-1""#),
        ("- a", #""- a""#), ("a: b", #""a: b""#), ("a:", #""a:""#),
        ("a #b", #""a #b""#), (" a", #"" a""#), ("a ", #""a ""#), ("*a", #""*a""#), ("&a", #""&a""#), ("!a", #""!a""#),
        ("%a", #""%a""#), ("@a", #""@a""#), ("[a]", #""[a]""#), ("{a}", #""{a}""#), ("---", #""---""#),
        (#""a""#, #"'"a"'"#), (#"'"'"#, #"'''"'''"#), (#"\d: x"#, #"'\d: x'"#), ("a\tb", #""a\tb""#),
        ("a\u{1B}b", #""a\x1bb""#),
        ("a\u{0}", #""a\0""#), ("a\r\nb", #""a\r\nb""#), ("\u{FEFF}", #""\ufeff""#), ("a\u{A0}b", #""a\xa0b""#),
        ("\u{10FFFF}", #""\U0010ffff""#), ("\n", #""\n""#), (" \n ", #"" \n ""#), ("a\u{202E}b", #""a\u202eb""#),
    ])
    func `a string is quoted where a reader could mistake it`(string: String, written: String) {
        #expect(Node.string(string).yaml() == written + "\n")
        #expect(Node.map([(string, .plain("1"))]).yaml() == "\(written): 1\n")
    }

    @Test(arguments: [
        ("a\nb", "a: |-\n  a\n  b\n"), ("a\nb\n", "a: |\n  a\n  b\n"), ("a\n\n", "a: |+\n  a\n\n"),
        ("  a\nb", "a: |2-\n    a\n  b\n"), ("\na\n", "a: |2\n\n  a\n"), ("\ta\n", "a: |2\n  \ta\n"),
        ("a\n\n b  \n", "a: |\n  a\n\n   b  \n"), ("a\u{1B}\nb", "a: \"a\\x1b\\nb\"\n"),
        ("a\r\nb\n", "a: \"a\\r\\nb\\n\"\n"),
    ])
    func `text of several lines is a literal block where one can hold it`(text: String, written: String) {
        #expect(Node.map([("a", .string(text))]).yaml() == written)
    }

    @Test func `long lines are not folded`() {
        let line = String(repeating: "word ", count: 400) + "end"
        #expect(
            Node.map([("a", .string(line)), ("b", .string(line + "\n" + line))]).yaml()
                == "a: \(line)\nb: |-\n  \(line)\n  \(line)\n")
    }

    @Test func `plain scalars stand as they were written unless they are strings`() throws {
        let text = "a: 1.50\nb: 0o17\nc: 0x1F\nd: True\ne: ~\nf: 1e3\n"
        #expect(try load(text).yaml() == text)
        #expect(
            try load("a: yes\nb: 0755\nc:\nd: 22:22\n").yaml() == "a: \"yes\"\nb: \"0755\"\nc: null\nd: \"22:22\"\n")
    }

    @Test func `documents are separated`() {
        #expect(emitYAML([]) == "")
        #expect(
            emitYAML([.plain(""), .list([]), .string("a\n\n"), .map([("b", .plain("1"))])])
                == "null\n---\n[]\n---\n|+\n  a\n\n---\nb: 1\n")
    }
}
