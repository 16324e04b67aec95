import FoundationEssentials
import Testing
import YAML

@Suite struct JSONTests {
    @Test(arguments: [
        ("0o17", "15"), ("0x1F", "31"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5.0"), ("+1", "1"), ("+1.5", "1.5"),
        ("1e3", "1e3"),
        ("1.e3", "1000.0"), ("01.5", "1.5"), ("0755", "\"0755\""), ("1.50", "1.50"), ("-0", "0"), ("-0.0", "-0.0"),
        ("18446744073709551615", "18446744073709551615"), ("+18446744073709551616", "1.8446744073709552e+19"),
        (".inf", "\".inf\""), ("-.inf", "\"-.inf\""), (".nan", "\".nan\""), ("1e999", "\"1e999\""), ("~", "null"),
        ("", "null"),
        ("TRUE", "true"), ("yes", "\"yes\""), ("0xFFFFFFFFFFFFFFFFFF", "\"0xFFFFFFFFFFFFFFFFFF\""),
    ])
    func `plain scalars become their values`(text: String, json: String) {
        #expect(Node.plain(text).json() == json)
    }

    @Test func `strings are escaped`() {
        #expect(
            Node.string("a\"\\/\u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}é🐳\u{2028}\u{FEFF}\u{1FFFE}").json()
                == "\"a\\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u0000\\u001f\\u007fé🐳\\u2028\\ufeff\u{1FFFE}\"")
    }

    @Test func `pretty JSON is indented`() throws {
        let node = try load("a: [1, {b: c}]\nd: {}\ne: []\n")
        #expect(node.json(pretty: false) == #"{"a":[1,{"b":"c"}],"d":{},"e":[]}"#)
        #expect(
            node.json(pretty: true) == """
                {
                  "a": [
                    1,
                    {
                      "b": "c"
                    }
                  ],
                  "d": {},
                  "e": []
                }
                """)
    }

    @Test func `any tree is JSON that another reader takes`() throws {
        var trees = RandomTrees(seed: 3)
        for _ in 0..<500 {
            let node = Node.list([trees.node(depth: 3)])
            for isPretty in [true, false] {
                let text = node.json(pretty: isPretty)
                #expect(throws: Never.self) { try JSONDecoder().decode([Anything].self, from: Data(text.utf8)) }
                #expect(try load(text).json(pretty: isPretty) == text)
            }
        }
    }

    private struct Anything: Decodable {}
}
