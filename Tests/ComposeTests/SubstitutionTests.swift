import Testing
import YAML

@testable import Compose

/// The cases of compose-go's template tests and of the compose specification's chapter on interpolation.
@Suite struct SubstitutionTests {
    private static let variables = ["FOO": "first", "BAR": "", "JSON": #"{"json":2}"#, "DOLLAR": "a$FOO"]

    private static func substitute(_ text: String) throws(SubstitutionError) -> (String, Substitution) {
        var substitution = Substitution { name in
            variables[name].map { Variable(value: TemplateText($0), layer: .spec, mark: Mark(file: "s")) }
        }
        return (try substitution.substitute(text), substitution)
    }

    @Test(arguments: [
        ("foo", "foo"), ("$${foo}", "${foo}"), ("$$", "$"), ("$$$$", "$$"), ("$$FOO", "$FOO"), ("$$$FOO", "$first"),
        ("a $ string", "a $ string"), ("^REGEX$", "^REGEX$"), ("$}", "$}"), ("$", "$"), ("$1", "$1"), ("$-", "$-"),
        ("$FOO-bar", "first-bar"), ("This ${missing} var", "This  var"), ("This ${BAR} var", "This  var"),
        ("This $FOO var", "This first var"), ("This ${FOO} var", "This first var"), ("$FOO$FOO", "firstfirst"),
        ("ok ${missing:-def}", "ok def"), ("ok ${missing-def}", "ok def"), ("${A:+${A},}B", "B"), ("${A:-${B}}", ""),
        ("ok ${BAR:-def}", "ok def"), ("ok ${FOO:-def}", "ok first"), ("ok ${BAR-def}", "ok "),
        ("ok ${UNSET:+yes}", "ok "), ("ok ${UNSET+yes}", "ok "), ("ok ${FOO:+yes}", "ok yes"),
        ("ok ${FOO+yes}", "ok yes"),
        ("ok ${BAR+yes}", "ok yes"), ("ok ${BAR:+yes}", "ok "),
        ("ok ${BAR:-/non:-alphanumeric}", "ok /non:-alphanumeric"),
        ("-ok ${BAR:-d}", "-ok d"), ("+ok ${UNSET:-${BAR-d}}", "+ok "), (":-ok ${UNSET-d}", ":-ok d"),
        (":?ok ${BAR-d}", ":?ok "), ("?ok ${BAR:-d}", "?ok d"), ("+ok ${BAR-d}", "+ok "), (":+ok ${BAR:-d}", ":+ok d"),
        ("ok ${U-$FOO}", "ok first"), ("ok ${U-${FOO}}", "ok first"), ("ok ${U-${FOO} ${FOO}}", "ok first first"),
        ("ok ${BAR:-$FOO}", "ok first"), ("ok ${BAR+$FOO ${FOO:+second}}", "ok first second"),
        ("ok ${FOO:?err}", "ok first"), ("ok ${FOO?err}", "ok first"), ("ok ${BAR?err}", "ok "),
        ("${U-myerror?msg}", "myerror?msg"), ("${FOO?bar-baz}", "first"), ("${U:-a:?b}", "a:?b"), ("${U+a-b}", ""),
        (#"ok ${missing:-{"json":1}}"#, #"ok {"json":1}"#), (#"ok ${missing-{"json":1}}"#, #"ok {"json":1}"#),
        (#"ok ${JSON:-{"json":1}}"#, #"ok {"json":2}"#), ("ok ${SUBDOMAIN:-redis}.${FOO:?}", "ok redis.first"),
        ("${missing:-{{.Node}}}!", "{{.Node}}!"), ("${FOO:-{{.Node}}}!", "first!"), ("${U:-{}}${FOO}", "{}first"),
        ("${DOLLAR}", "a$FOO"), ("${U:-$$FOO}", "$FOO"), ("${U:-a\nb}", "a\nb"), ("${U:-}", ""), ("${A:-${B:-c}}", "c"),
        ("é${FOO}é", "éfirsté"), ("${_x1:-y}", "y"),
    ])
    func `a text is substituted`(text: String, expected: String) throws {
        #expect(try Self.substitute(text).0 == expected)
    }

    @Test(arguments: [
        "${", "${}", "${ }", "${ foo}", "${foo }", "${foo!}", "${FOO:}", "${FOO:x}", "${1}", "${FOO", "${U:-{}",
    ])
    func `a malformed expression is refused`(text: String) {
        #expect(throws: SubstitutionError.invalidTemplate(text)) { try Self.substitute(text) }
    }

    @Test(arguments: [
        ("not ok ${UNSET:?Mandatory Variable Unset}", "UNSET", "Mandatory Variable Unset"),
        ("not ok ${BAR:?Mandatory ${FOO}}", "BAR", "Mandatory first"), ("${UNSET:?}", "UNSET", ""),
        ("${UNSET?}", "UNSET", ""), ("${UNSET?bar-baz}", "UNSET", "bar-baz"),
    ])
    func `a required variable that is missing is refused with its message`(
        text: String, name: String, message: String
    ) throws {
        let (_, substitution) = try Self.substitute(text)
        #expect(substitution.unset == [UnsetUse(name: name, requirement: message)])
    }

    @Test func `only variables without a default are unset and those of unused defaults are not looked at`() throws {
        #expect(
            try Self.substitute("${A:-${B}} $C ${FOO:-${D}} ${A?}").1.unset == [
                UnsetUse(name: "B"), UnsetUse(name: "C"), UnsetUse(name: "A", requirement: ""),
            ])
        #expect(try Self.substitute("${FOO?${B}}").1.unset.isEmpty)
        #expect(try Self.substitute("${A:+${A},}").1.unset.isEmpty)
        #expect(try Self.substitute("${A:-${FOO:-x}}").1.uses.map(\.name) == ["A", "FOO"])
    }

    @Test func `nesting is bounded`() {
        let text = String(repeating: "${A:-", count: 1000) + String(repeating: "}", count: 1000)
        #expect(throws: SubstitutionError.tooDeep) { try Self.substitute(text) }
    }

    @Test func `a secret counts as set and taints what it flows into but not a replacement`() throws {
        func value(_ text: String) throws -> TemplateText {
            var substitution = Substitution { name in
                name == "S" ? Variable(value: .secret("S"), layer: .spec, mark: Mark(file: "s")) : nil
            }
            return TemplateText(try substitution.substitute(text))
        }
        #expect(try value("a${S}b").pieces == [.text("a"), .secret("S"), .text("b")])
        #expect(try value("${S:-x}").pieces == [.secret("S")])
        #expect(try value("${S:+y}").pieces == [.text("y")])
        #expect(try value("${U:-pre-${S}}").pieces == [.text("pre-"), .secret("S")])
        var refused = Substitution { name in
            name == "S" ? Variable(value: .secret("S"), layer: .spec, mark: Mark(file: "s")) : nil
        }
        #expect(try refused.substitute("${U:?need ${S}}") == "")
        #expect(refused.unset == [UnsetUse(name: "U", requirement: "need ***")])
    }
}
