import Compose
import OrderedCollections
import Testing
import YAML

@testable import Specs

@Suite struct SecretTests {
    func parse(_ value: String) -> (value: GeneratedValue?, messages: [String]) {
        var diagnostics = Diagnostics()
        let mark = Mark(file: "spec.yml", line: 3)
        let parsed = GeneratedValue.parse(value, variable: "S", at: mark, diagnostics: &diagnostics)
        return (parsed, diagnostics.list.map(\.description))
    }

    @Test func `each type gives what it says`() throws {
        func generate(_ text: String) throws -> String {
            try #require(parse("$generate:\(text)$").value?.generators["S"]).generate()
        }
        let hex = try generate("hex:16")
        #expect(hex.count == 32)
        #expect(hex.allSatisfy { "0123456789abcdef".contains($0) })
        #expect(try generate("base64:16").count == 24)
        let alnum = try generate("alnum:40")
        #expect(alnum.count == 40)
        #expect(alnum.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        let uuid = try generate("uuid")
        #expect(uuid.split(separator: "-").map(\.count) == [8, 4, 4, 4, 12])
        #expect(try generate("hex:16") != hex)
    }

    @Test func `it may stand inside a longer value, several times`() throws {
        let value = try #require(parse("u:$generate:hex:4$@h/$generate:uuid$?$x").value)
        #expect(value.generators.mapValues(\.kind) == ["S": .hex(4), "S_2": .uuid])
        #expect(value.text.resolved { "<\($0)>" } == "u:<S>@h/<S_2>?$x")
    }

    @Test(arguments: ["plain", "$GENERATE:hex:4$", "generate:hex:4", "$$", "$ generate:hex:1$", ""])
    func `other values are taken as they are`(text: String) {
        let (value, messages) = parse(text)
        #expect(value == nil)
        #expect(messages == [])
    }

    @Test(arguments: [
        "$generate:rot13:4$", "$generate:hex$", "$generate:hex:$", "$generate:hex:0$", "$generate:hex:-1$",
        "$generate:hex:1025$",
        "$generate:hex:99999999999999999999$", "$generate:uuid:4$", "$generate:hex:4:5$", "$generate:hex:4",
        "$generate:$",
        "a $generate:HEX:4$", "$generate:hex:+4$",
    ])
    func `anything else is an error that lists the forms`(text: String) {
        let (value, messages) = parse(text)
        #expect(value == nil)
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("spec.yml:3: error: config.S: ") == true)
        #expect(messages.first?.contains("$generate:hex:<bytes>$") == true)
    }
}
