import KubernetesClient
import Testing
import YAML

/// What a server answers is read as RFC 8259 says, and nothing that it sends can do harm.
@Suite struct JSONReaderTests {
    @Test(arguments: [
        (#"{"a":1,"b":[true,null,"x"]}"#, #"{"a":1,"b":[true,null,"x"]}"#),
        (#" [ ] "#, "[]"),
        (#"{"k":{}}"#, #"{"k":{}}"#),
        (#""é \/ \u00e9""#, #""é / é""#),
        (#""\ud83d\ude00""#, #""😀""#),
        (#""a\nb\t\"c\"""#, #""a\nb\t\"c\"""#),
        (#"[0,-1,1.5,1e3]"#, #"[0,-1,1.5,1e3]"#),
        (#"{"yes":"true","n":"null"}"#, #"{"yes":"true","n":"null"}"#),
    ])
    func `a text is read and written back`(text: String, expected: String) throws {
        #expect(try readJSON(text.utf8).json() == expected)
    }

    @Test(arguments: [
        "", "{", "[1,]", "{\"a\"}", "tru", "\"abc", "{\"a\":1} x", "01x", "\"\\q\"", "\"\\u12\"", "{a:1}", "nul",
    ])
    func `what is no JSON is refused`(text: String) {
        #expect(throws: JSONProblem.self) { try readJSON(text.utf8) }
    }

    @Test func `a lone surrogate becomes the replacement character`() throws {
        #expect(try readJSON(#""\ud83dx""#.utf8).text == "\u{FFFD}x")
    }

    @Test func `nesting is bounded`() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONProblem.self) { try readJSON(text.utf8) }
    }
}
