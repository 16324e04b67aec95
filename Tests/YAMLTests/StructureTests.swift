import Testing
import YAML

@Suite struct StructureTests {
    @Test func `every duplicate key is named with both places`() {
        #expect(
            problems("a: 1\nb: {c: 1, c: 2}\na: 2\n\"a\": 3\n") == """
                test.yml:2:11: error: the key `c` is already defined on line 2
                hint: keep one of test.yml:2:5 and test.yml:2:11
                test.yml:3:1: error: the key `a` is already defined on line 1
                hint: keep one of test.yml:1:1 and test.yml:3:1
                test.yml:4:1: error: the key `a` is already defined on line 1
                hint: keep one of test.yml:1:1 and test.yml:4:1
                """)
    }

    @Test(arguments: [2, 11, 12, 13, 14, 500])
    func `a duplicate key is found among any number`(count: Int) throws {
        let keys = (0..<count).map { "k\($0): v\n" }.joined()
        #expect(try load(keys).mapping?.entries.count == count)
        for first in [0, count / 2, count - 1] {
            #expect(
                problems(keys + "k\(first): v\n").contains(
                    "the key `k\(first)` is already defined on line \(first + 1)"))
        }
    }

    @Test func `duplicates are reported up to a bound`() {
        let lines = problems(String(repeating: "k: v\n", count: 5000)).split(separator: "\n")
            .filter { !$0.hasPrefix("hint: ") }
        #expect(lines.count == 101)
        #expect(lines.last?.contains("more than 100 problems") == true)
    }

    @Test func `a syntax error comes after the duplicates before it`() {
        #expect(problems("a: 1\na: 2\nb: [\n").split(separator: "\n").count { $0.contains(": error: ") } == 2)
    }

    @Test func `aliases stand for their anchors`() throws {
        let node = try load("a: &x {b: [1, &y two]}\nc: *x\nd: *y\n*y : key\n")
        #expect(node.json() == #"{"a":{"b":[1,"two"]},"c":{"b":[1,"two"]},"d":"two","two":"key"}"#)
        #expect(node.mapping?["c"]?.mark.description == "test.yml:1:4")
    }

    @Test func `an anchor may be declared again and ends with its document`() throws {
        #expect(try load("[&a 1, *a, &a 2, *a]").json() == "[1,1,2,2]")
        #expect(problems("&a 1\n---\n*a\n").contains("test.yml:3:1: error: the alias `*a` has no anchor before it"))
    }

    @Test(arguments: [
        ("a: &a [*a]", "test.yml:1:8: error: the alias `*a` is inside the value that it names"),
        ("a: &a {b: {c: *a}}", "test.yml:1:15: error: the alias `*a` is inside the value that it names"),
        ("a: &defaults {}\nb: *default", "did you mean `*defaults`?"),
        ("b: *b", "put `&b` before the value it stands for"),
    ])
    func `an alias that cannot be resolved is refused`(text: String, message: String) {
        #expect(problems(text).contains(message))
    }

    @Test func `merged maps stand where the merge key stood`() throws {
        let node = try load(
            """
            a: &a {x: 1, y: 1}
            b: &b {y: 2, z: 2}
            one: {k: 0, <<: *a, l: 0}
            explicit: {<<: *a, y: 3}
            before: {y: 3, <<: *a}
            list: {<<: [*a, *b]}
            swapped: {<<: [*b, *a], z: 9}
            inline: {<<: {q: 1}}
            quoted: {"<<": 1}
            """)
        #expect(node.mapping?["one"]?.json() == #"{"k":0,"x":1,"y":1,"l":0}"#)
        #expect(node.mapping?["explicit"]?.json() == #"{"x":1,"y":3}"#)
        #expect(node.mapping?["before"]?.json() == #"{"y":3,"x":1}"#)
        #expect(node.mapping?["list"]?.json() == #"{"x":1,"y":1,"z":2}"#)
        #expect(node.mapping?["swapped"]?.json() == #"{"y":2,"x":1,"z":9}"#)
        #expect(node.mapping?["inline"]?.json() == #"{"q":1}"#)
        #expect(node.mapping?["quoted"]?.json() == #"{"<<":1}"#)
    }

    @Test func `merges may be nested`() throws {
        let node = try load("a: &a {x: 1}\nb: &b {<<: *a, y: 2}\nc: {<<: *b}\n")
        #expect(node.mapping?["c"]?.json() == #"{"x":1,"y":2}"#)
    }

    @Test(arguments: [
        ("a: {<<: 1}", "test.yml:1:9: error: `<<` takes a map or a list of maps"),
        ("a: {<<: [1]}", "`<<` takes a map or a list of maps"),
        ("a: {<<: }", "`<<` takes a map or a list of maps"),
        ("a: {<<: {b: 1}, <<: {c: 1}}", "merge several maps with one key: `<<: [*a, *b]`"),
    ])
    func `a merge of anything else is refused`(text: String, message: String) {
        #expect(problems(text).contains(message))
    }

    @Test func `local tags are kept and core tags are not`() throws {
        let node = try load(
            "a: !reset null\nb: !override\n  - c\nd: !!map {e: !<tag:example.com,2000:x> 1}\nf: !!seq []")
        #expect(node.mapping?["a"]?.tag == "!reset")
        #expect(node.mapping?["b"]?.tag == "!override")
        #expect(node.mapping?["d"]?.tag == nil)
        #expect(node.mapping?["d"]?.mapping?["e"]?.tag == "tag:example.com,2000:x")
        #expect(node.yaml() == "a: !reset null\nb: !override\n  - c\nd:\n  e: !<tag:example.com,2000:x> 1\nf: []\n")
    }

    @Test(arguments: [
        ("a: !!int abc", "`abc` is not what its tag `!!int` says"),
        ("a: !!bool yes", "`yes` is not what its tag `!!bool` says"),
        ("a: !!map []", "the value is not what its tag `!!map` says"),
        ("a: !!binary aGk=", "only !!str"),
        ("{a: 1}: b", "test.yml:1:1: error: a key must be a scalar"),
        ("a: {{ b }}", "put the text in quotes"),
        ("? [a]\n: b", "a key must be a scalar"),
        ("?\n: b", "test.yml:1:2: error: a key is missing"),
        ("!reset a: b", "a key cannot carry the tag `!reset`"),
    ])
    func `tags and keys that cannot be are refused`(text: String, message: String) {
        #expect(problems(text).contains(message), "\(problems(text))")
    }

    @Test func `keys keep their text`() throws {
        let keys = try load("8080: a\ntrue: b\n1.50: c\n~: d\n0x1F: e\n\"\": f\n").mapping?.entries.map(\.key)
        #expect(keys == ["8080", "true", "1.50", "~", "0x1F", ""])
    }

    @Test func `a stream may hold any number of documents`() throws {
        func documents(_ text: String) throws -> [String] {
            try loadYAML(Array(text.utf8), file: "test.yml").map { $0.json() }
        }
        #expect(try documents("") == [])
        #expect(try documents("# only this\n") == [])
        #expect(try documents("---\n") == ["null"])
        #expect(try documents("a: 1\n---\n- b\n...\n---\nc\n") == [#"{"a":1}"#, #"["b"]"#, #""c""#])
        #expect(try load("").isNull)
        #expect(throws: InvalidInput.self) { try load("a\n---\nb\n") }
    }
}
