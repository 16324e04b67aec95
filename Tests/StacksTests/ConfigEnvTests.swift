import Compose
import ExternalTools
import OrderedCollections
import Stacks
import TestSupport
import Testing
import YAML

@testable import Specs

@Suite struct ConfigEnvTests {
    static let values = [
        "", "plain", "two words", "it's", "say \"x\"", "$HOME ${A} $(id)", "back`tick`", "a\\", "a\\\\", "\\n",
        "line\nline\n",
        "#no comment", "a #b", "tab\there", "=", "é☃", "'", "\"", "\\'", "it's $x \\\"", "*?[", "~", "!x", "a;b|c&d",
        "-n",
        "trailing ", " leading", "\\0101", "it's\nlong",
        "a'\u{301} $\u{301} \"\u{301}", "`\u{301}", "a$\u{301}",
    ]

    func layered(_ values: [String]) throws -> LayeredProject {
        var spec = Spec()
        for (index, value) in values.enumerated() { spec.config["V\(index)"] = Located(value) }
        var diagnostics = Diagnostics()
        let tree = tree(["/c.yml": "name: c\nservices: {}"])
        let result = layer(composeFiles: ["/c.yml"], spec: spec, tree: tree, diagnostics: &diagnostics)
        return try #require(result, "\(diagnostics.list.filter { $0.severity == .error })")
    }

    @Test func `compose reads every value back equal`() throws {
        let file = try layered(Self.values).configEnv
        #expect(file.shellOnly == [])
        var diagnostics = Diagnostics()
        let tree = tree(["/config.env": file.text])
        let read = readEnvironmentFile("/config.env", scope: VariableScope(), tree: tree, diagnostics: &diagnostics)
        #expect(diagnostics.list == [])
        #expect(read.values.map(\.value) == Self.values)
    }

    @Test func `a POSIX shell reads every value back equal`() async throws {
        let values = Self.values + ["both ' and `", "\r\n'"]
        let file = try layered(values).configEnv
        #expect(file.shellOnly == ["V\(values.count - 2)", "V\(values.count - 1)"])
        try await withTemporaryDirectory { directory in
            try write(file.text, to: directory + "/config.env")
            let names = values.indices.map { "\"$V\($0)\"" }.joined(separator: " ")
            let command = Command(
                "sh", ["-c", ". ./config.env; printf '%s\\037' \(names)"], host: hostEnvironment,
                workingDirectory: directory)
            let output = try await command.run()
            let parts = output.standardOutput.split(separator: 0x1F, omittingEmptySubsequences: false).dropLast()
            #expect(parts.map { String(decoding: $0, as: UTF8.self) } == values)
        }
    }
}
