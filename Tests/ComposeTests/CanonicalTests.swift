import FoundationEssentials
import OrderedCollections
import SystemCrypto
import TestSupport
import Testing
import YAML

@testable import Compose

/// What `docker compose config` 2.40.3 printed for the files of Recorded.
@Suite struct CanonicalTests {
    private static let directory = Shared.packageRoot + "/Tests/ComposeTests/Recorded"

    private func load(
        _ name: String, files: [String] = ["compose.yaml"], _ change: (inout LoadOptions) -> Void = { _ in }
    ) throws -> CanonicalProject {
        var options = LoadOptions()
        change(&options)
        var diagnostics = Diagnostics()
        let project = loadCanonicalProject(
            files: files.map { "\(Self.directory)/\(name)/\($0)" }, options: options, tree: .disk,
            diagnostics: &diagnostics)
        #expect(diagnostics.list.filter { $0.severity == .error }.map(\.description) == [])
        return try #require(project)
    }

    private func recorded(_ name: String, _ file: String) throws -> [UInt8] {
        let path = "\(Self.directory)/\(name)/\(file)"
        let text = String(decoding: try FileTree.disk.read(path), as: UTF8.self)
        return Array(text.replacing("@DIR@", with: "\(Self.directory)/\(name)").utf8)
    }

    /// Compares by meaning and order: writers differ in what they quote.
    private func expectRecorded(
        _ project: CanonicalProject, _ name: String, _ file: String, _ options: CanonicalOptions = CanonicalOptions(),
        location: SourceLocation = #_sourceLocation
    ) throws {
        let answer = try #require(try loadYAML(try recorded(name, file), file: file).first)
        let own = try #require(try loadYAML(Array(project.text(options).utf8), file: "own").first)
        guard !own.means(answer) else { return }
        let (lines, wanted) = (own.yaml().split(separator: "\n"), answer.yaml().split(separator: "\n"))
        let difference = lines.difference(from: wanted).map { "\($0)" }.joined(separator: "\n")
        Issue.record("differs from \(name)/\(file):\n\(difference)", sourceLocation: location)
    }

    @Test(arguments: ["everything", "swarm", "build", "env", "include", "blkio"])
    func `the model is the one that docker compose prints`(name: String) throws {
        try expectRecorded(try load(name), name, "config.yaml")
    }

    @Test(arguments: ["everything", "swarm", "build", "env", "include"])
    func `the model as JSON is the one that docker compose prints`(name: String) throws {
        var options = CanonicalOptions()
        options.format = .json
        try expectRecorded(try load(name), name, "config.json", options)
    }

    @Test(arguments: ["everything", "swarm", "build", "env", "include"])
    func `the model without normalisation is the one that docker compose prints`(name: String) throws {
        var options = CanonicalOptions()
        options.normalizes = false
        try expectRecorded(try load(name), name, "config--no-normalize.yaml", options)
    }

    @Test(arguments: ["everything", "swarm", "build", "env", "blkio"])
    func `the model with paths as written is the one that docker compose prints`(name: String) throws {
        var options = CanonicalOptions()
        options.resolvesPaths = false
        try expectRecorded(try load(name), name, "config--no-path-resolution.yaml", options)
    }

    @Test func `later files are merged`() throws {
        let project = try load("merge", files: ["compose.yaml", "override.yaml"])
        try expectRecorded(project, "merge", "config.yaml")
        var options = CanonicalOptions()
        options.format = .json
        try expectRecorded(project, "merge", "config.json", options)
    }

    @Test func `profiles and named services decide what is printed`() throws {
        try expectRecorded(try load("profiles"), "profiles", "config.yaml")
        try expectRecorded(
            try load("profiles") { $0.profiles = ["debug"] }, "profiles", "config--profile-debug.yaml")
        try expectRecorded(try load("profiles") { $0.services = ["test"] }, "profiles", "config-test.yaml")
    }

    @Test(arguments: ["swarm", "build", "env"])
    func `a service's hash is docker compose's`(name: String) throws {
        let project = try load(name)
        let lines = String(decoding: try recorded(name, "hashes.txt"), as: UTF8.self).split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines {
            let service = String(line.prefix { $0 != " " })
            #expect(line == "\(service) \(sha256Hex(try #require(project.hashedText(ofService: service))))")
        }
    }

    @Test func `variables stay as they are written where interpolation is off`() throws {
        let project = try load("env") { $0.interpolates = false }
        let services = try #require(project.node().mapping?["services"]?.mapping)
        let service = try #require(services["a"]?.mapping)
        #expect(service["image"]?.text == "img:${TAG}")
        #expect(service["command"]?.text == #"echo ${TAG} "$$HOME""#)
        #expect(service["environment"]?.mapping?["SET"]?.isNull == true)
        #expect(service["env_file"]?.sequence?.count == 2)
        #expect(service["networks"]?.mapping?["default"]?.isNull == true)
        #expect(project.text().contains("image: img:${TAG}\n"))
        #expect(
            project.variables == [
                TemplateVariable(name: "DOLLAR"), TemplateVariable(name: "Q", defaultText: "de fault"),
                TemplateVariable(name: "TAG", replacement: "alt"),
            ])
    }

    @Test func `a port with a variable stays in short form where interpolation is off`() throws {
        let text = "services:\n  a:\n    image: a\n    ports: ['${P}:80']\n    volumes: ['${V}:/v']\n"
        var options = LoadOptions()
        options.interpolates = false
        var diagnostics = Diagnostics()
        let project = loadCanonicalProject(
            files: ["/p/compose.yaml"], options: options, tree: .memory(texts: ["/p/compose.yaml": text]),
            diagnostics: &diagnostics)
        #expect(diagnostics.list.isEmpty)
        let printed = try #require(project).text()
        #expect(printed.contains("- ${P}:80\n"))
    }

    @Test func `a secret is masked`() throws {
        let text = "services:\n  a:\n    image: a\n    command: [run, '${KEY}']\n    environment: {KEY: '${KEY}'}\n"
        var options = LoadOptions()
        options.scope["KEY"] = Variable(value: .secret("KEY"), layer: .spec, mark: Mark(file: "spec.yml"))
        var diagnostics = Diagnostics()
        let project = try #require(
            loadCanonicalProject(
                files: ["/p/compose.yaml"], options: options, tree: .memory(texts: ["/p/compose.yaml": text]),
                diagnostics: &diagnostics))
        let printed = project.text()
        #expect(printed.contains("KEY: '***'\n") || printed.contains("KEY: \"***\"\n"))
        #expect(!Placeholder.isIn(printed))
        #expect(!Placeholder.isIn(try #require(project.hashedText(ofService: "a"))))
    }

    @Test func `false is printed for a directory that must be there`() throws {
        let text =
            "services:\n  a:\n    image: a\n    volumes: [{type: bind, source: /a, target: /b, bind: {create_host_path: false}}]\n"
        var diagnostics = Diagnostics()
        let project = loadCanonicalProject(
            files: ["/p/compose.yaml"], tree: .memory(texts: ["/p/compose.yaml": text]), diagnostics: &diagnostics)
        #expect(try #require(project).text().contains("create_host_path: false\n"))
    }

    @Test func `durations are written as Go writes them`() {
        let texts = ["0s", "1ns", "1.5µs", "500ms", "1.5s", "59s", "1m0s", "1m30s", "2h0m0s", "26h3m4.005s"]
        for text in texts { #expect(ComposeDuration.parse(text)?.goText == text) }
    }

    @Test func `keys stand in the order of docker compose's writer`() {
        let names = ["a_1", "a1", "a2", "a10", "ab", "b"]
        var generator = SeededGenerator.ofTest()
        #expect(names.shuffled(using: &generator).sorted(by: NaturalOrder.isBefore) == names)
    }
}
