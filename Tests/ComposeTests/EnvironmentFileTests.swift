import Testing
import YAML

@testable import Compose

/// The cases of compose-go's dotenv tests.
@Suite struct EnvironmentFileTests {
    /// The values of a file; variables see the given ones first, then those above them.
    private static func values(
        _ text: String, _ outer: [String: String] = [:], raw: Bool = false
    ) -> (values: [String: String], errors: [String]) {
        let state = LoadState(tree: .memory(texts: ["/e": text]), options: LoadOptions())
        var result: [String: String] = [:]
        for line in state.environmentLines("/e", isRaw: raw, at: nil) ?? [] {
            let known = result
            let lookup = { (name: String) in
                (outer[name] ?? known[name]).map { Variable(value: TemplateText($0), layer: .dotEnv, mark: line.mark) }
            }
            if line.value == nil && outer[line.name] == nil { continue }
            result[line.name] = state.value(of: line, lookup: lookup)
        }
        let errors = state.diagnostics.list.filter { $0.severity == .error }.map(\.description)
        return (result, errors)
    }

    @Test(arguments: [
        ("FOO=bar", "FOO", "bar"), ("FOO =bar", "FOO", "bar"), ("FOO= bar", "FOO", "bar"),
        (#"FOO="bar""#, "FOO", "bar"),
        ("FOO='bar'", "FOO", "bar"), (#"FOO="escaped\"bar""#, "FOO", #"escaped"bar"#),
        (#"FOO="\"quoted\"""#, "FOO", #""quoted""#),
        (#"FOO="'d'""#, "FOO", "'d'"), ("OPTION_A: 1", "OPTION_A", "1"), ("OPTION_A: Foo=bar", "OPTION_A", "Foo=bar"),
        ("OPTION_A=1:B", "OPTION_A", "1:B"), ("export OPTION_A=2", "OPTION_A", "2"),
        (#"export OPTION_B='\n'"#, "OPTION_B", #"\n"#),
        ("export exportFoo=2", "exportFoo", "2"), ("exportFOO=2", "exportFOO", "2"),
        ("export_FOO =2", "export_FOO", "2"),
        ("export.FOO= 2", "export.FOO", "2"), ("export\tOPTION_A=2", "OPTION_A", "2"),
        ("  export OPTION_A=2", "OPTION_A", "2"),
        (#"export OPTION_A="export A""#, "OPTION_A", "export A"), (#"FOO="bar\nbaz""#, "FOO", "bar\nbaz"),
        (#"FOO=a\tb"#, "FOO", #"a\tb"#), (#"FOO="a\tb""#, "FOO", "a\tb"),
        (#"KEY="Z\aZ\bZ\fZ\nZ\rZ\tZ\vZ\\Z\0123Z""#, "KEY", "Z\u{7}Z\u{8}Z\u{C}Z\nZ\rZ\tZ\u{B}Z\\ZSZ"),
        ("FOO.BAR=foobar", "FOO.BAR", "foobar"), ("FOO=foobar=", "FOO", "foobar="), ("FOO=bar ", "FOO", "bar"),
        ("FOO=bar # this is foo", "FOO", "bar"), ("FOO=bar #this is foo", "FOO", "bar"), ("FOO=bar #", "FOO", "bar"),
        ("FOO=123#not-an-inline-comment", "FOO", "123#not-an-inline-comment"), (#"FOO="bar#baz""#, "FOO", "bar#baz"),
        (##"FOO="bar#baz"#"##, "FOO", "bar#baz"), ("FOO='bar#baz' # comment", "FOO", "bar#baz"),
        ("FOO='ba#r'", "FOO", "ba#r"),
        (#"FOO="bar\n\ b\az""#, "FOO", "bar\n\\ b\u{7}z"), (#"FOO="bar\\\n\ b\az""#, "FOO", "bar\\\n\\ b\u{7}z"),
        (#"FOO="bar\\r\ b\az""#, "FOO", "bar\\r\\ b\u{7}z"), (#"FOO="bar\nbaz\\""#, "FOO", "bar\nbaz\\"),
        (" KEY =value", "KEY", "value"), ("\tKEY=value", "KEY", "value"), (#"KEY="\0123""#, "KEY", "S"),
        (#"KEY="\x07""#, "KEY", #"\x07"#), (#"KEY="\u12e4""#, "KEY", #"\u12e4"#), ("\u{FEFF}A=1", "A", "1"),
        ("A=", "A", ""),
        ("A= # nothing", "A", ""), ("a[1]=c", "a[1]", "c"), ("árvíz-TÜKÖR=ÁRVÍZ-tükör", "árvíz-TÜKÖR", "ÁRVÍZ-tükör"),
        ("K='Let\\'s go!'", "K", "Let's go!"), ("A=1\r\nB=2\r\n", "A", "1"),
        ("J = 'first\nsecond'", "J", "first\nsecond"),
        ("456 = ABC", "456", "ABC"), ("VAR-WITH-DASHES=dashes", "VAR-WITH-DASHES", "dashes"),
        ("A=a b  c", "A", "a b  c"),
    ])
    func `a line is read`(text: String, name: String, value: String) {
        let (values, errors) = Self.values(text)
        #expect(errors == [])
        #expect(values[name] == value)
    }

    @Test(arguments: [
        ("FOO=test\nBAR=$FOO", "test"), ("FOO=test\nBAR=${FOO}bar", "testbar"), ("BAR=$FOO", ""),
        ("FOO=test\nBAR=\"quote $FOO\"", "quote test"), ("BAR='quote $FOO'", "quote $FOO"),
        (#"BAR="foo\$BAR""#, "foo$BAR"),
        (#"BAR="foo\${BAR}""#, "foo${BAR}"), ("FOO=test\nBAR=\"foo\\${FOO} ${FOO}\"", "foo${FOO} test"),
        ("BAR=${FOO:-Default Value}", "Default Value"), ("FOO=\nBAR=${FOO-Default Value}", ""), ("BAR=$$FOO", "$FOO"),
    ])
    func `values see the lines above them`(text: String, expected: String) {
        #expect(Self.values(text).values["BAR"] == expected)
    }

    @Test func `the surroundings win over the lines above and a bare name takes its value from them`() {
        #expect(Self.values("A=1\nB=${A}\nC=$B", ["A": "5"]).values == ["A": "1", "B": "5", "C": "5"])
        #expect(Self.values("A\nB=x\nC", ["A": "out"]).values == ["A": "out", "B": "x"])
        #expect(Self.values("C").values.isEmpty)
    }

    @Test(arguments: [
        #"KEY=""#, #"KEY="value"#, #"KEY="value\""#, #"KEY="value'"#, "KEY='", "KEY='value", #"KEY='value\'"#,
    ])
    func `a quote that is never closed is refused`(text: String) {
        #expect(
            Self.values(text).errors == [
                "/e:1:5: error: the quote that opens the value of KEY is never closed\nhint: close it, or leave both out"
            ])
    }

    @Test func `every wrong line is reported with its place and none of its value`() {
        let (values, errors) = Self.values("# c\nfoo=\"\n a\n\"\nINVALID LINE secret\nlol$wut=secret\n=x\nzot=qix")
        #expect(values == ["foo": "\n a\n", "zot": "qix"])
        #expect(errors.map { $0.prefix { $0 != " " } } == ["/e:5:1:", "/e:6:1:", "/e:7:1:"])
        #expect(!errors.joined().contains("secret"))
    }

    @Test func `raw lines are taken as they stand`() {
        let text = "# c\nA=\"q\" $X # no comment  \nB\n  C= x\r\nD='\n\nE"
        let expected = ["A": "\"q\" $X # no comment  ", "B": "out", "C": " x", "D": "'"]
        #expect(Self.values(text, ["B": "out"], raw: true).values == expected)
        #expect(Self.values("A B=1", raw: true).errors.count == 1)
    }
}
