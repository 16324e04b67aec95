import Compose
import FoundationEssentials
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// What a devcontainer.json gives a workspace: the keys that are taken, and what is named as not taken, `!` before what is refused.
private struct Taken: CustomStringConvertible {
    var keys: [String] = []
    var named: [String] = []
    var description: String {
        [keys, named].map { $0.isEmpty ? "-" : $0.joined(separator: " ") }.joined(separator: " | ")
    }

    init(_ text: String, project path: String, tree: FileTree) {
        var diagnostics = Diagnostics()
        let project = Project(path: path, owner: PodUser(user: 1000, group: 1000))
        let read = Devcontainer(
            Array(text.utf8), file: path + "/.devcontainer/devcontainer.json", project: project, tree: tree,
            diagnostics: &diagnostics)
        if let read {
            let origins = WorkspaceDefinition(layers: [read.document]).origins.keys
            keys = Set(origins.compactMap { $0.split(separator: ".").first.map(String.init) }).sorted()
        }
        named = diagnostics.list.map { diagnostic in
            let parts = diagnostic.what.split(separator: "`", omittingEmptySubsequences: false)
            let key = parts.count > 1 ? String(parts[1]) : diagnostic.what
            return (diagnostic.severity == .error ? "!" : "") + key
        }
    }
}

/// The public examples, which are not ours to keep, are read where they are there; files of our own have the same keys.
@Suite struct DevcontainerCorpusTests {
    private func taken(_ text: String, compose: String = "") -> String {
        "\(Taken(text, project: "/p", tree: .memory(texts: ["/p/.devcontainer/compose.yml": compose])))"
    }

    @Test(arguments: [
        (#"{"name": "x", "$schema": "y", "image": "a:1", "customizations": {"vscode": {}}}"#, "image | -"),
        (#"{"image": "a:${templateOption:imageVariant}"}"#, "- | !image"),
        (
            #"{"build": {"dockerfile": "Dockerfile", "context": "..", "args": {"A": "1", "B": "${localEnv:B}"}}}"#,
            "build | build.args.B"
        ),
        (
            #"{"build": {"dockerfile": "D", "cacheFrom": "x", "options": ["--network=host"], "target": "t"}}"#,
            "build | build.cacheFrom build.options"
        ),
        (#"{"dockerFile": "Dockerfile", "context": ".."}"#, "build | -"),
        (
            #"{"image": "a", "features": {"ghcr.io/x/y:2": {"moby": true}}, "overrideFeatureInstallOrder": []}"#,
            "image | features overrideFeatureInstallOrder"
        ),
        (#"{"image": "a", "remoteUser": "vscode", "containerUser": "1000:1000"}"#, "image user | remoteUser"),
        (
            #"{"image": "a", "workspaceFolder": "/workspaces/${localWorkspaceFolderBasename}", "overrideCommand": false}"#,
            "image | workspaceFolder overrideCommand"
        ),
        (#"{"image": "a", "shutdownAction": "none", "init": true, "privileged": false}"#, "image keep-running | init"),
        (
            #"{"image": "a", "remoteEnv": {"F": "${localWorkspaceFolder}", "P": "${containerEnv:PATH}:/x", "OK": "${HOME}/x"}}"#,
            "environment image | remoteEnv.F remoteEnv.P"
        ),
        (
            #"{"image": "a", "containerEnv": {"A": "1"}, "forwardPorts": [8080, "db:5432"], "appPort": "3000:3000"}"#,
            "environment image ports | forwardPorts appPort"
        ),
        (
            #"{"image": "a", "portsAttributes": {}, "otherPortsAttributes": {}, "updateRemoteUserUID": true}"#,
            "image | portsAttributes otherPortsAttributes updateRemoteUserUID"
        ),
        (
            #"{"image": "a", "runArgs": ["--cap-add=SYS_PTRACE"], "capAdd": ["SYS_PTRACE"], "securityOpt": ["x"]}"#,
            "image | runArgs capAdd securityOpt"
        ),
        (
            #"{"image": "a", "initializeCommand": "x", "mounts": ["source=a,target=b,type=bind"], "workspaceMount": "x"}"#,
            "image | !initializeCommand !mounts !workspaceMount"
        ),
        (
            #"{"image": "a", "onCreateCommand": "a", "updateContentCommand": ["b"], "postCreateCommand": {"c": "d"}}"#,
            "image setup | -"
        ),
        (
            #"{"image": "a", "postCreateCommand": "x ${localEnv:TOKEN}", "postStartCommand": "y", "postAttachCommand": "z"}"#,
            "image | postCreateCommand postStartCommand postAttachCommand"
        ),
        (
            #"{"image": "a", "waitFor": "x", "userEnvProbe": "none", "secrets": {"T": {}}, "additionalProperties": 1}"#,
            "image | waitFor userEnvProbe secrets additionalProperties"
        ),
        (
            #"{"image": "a", "hostRequirements": {"cpus": 4, "memory": "8gb", "storage": "32gb", "gpu": true}}"#,
            "image resources | hostRequirements.gpu"
        ),
    ])
    func `each key of the specification is taken or named`(_ text: String, _ expected: String) {
        #expect(taken(text) == expected, "\(text)")
    }

    @Test func `what the workspace's service has besides is named at its line`() {
        let compose = """
            services:
              app:
                build: {context: .., dockerfile: .devcontainer/Dockerfile}
                volumes: ["../..:/workspaces:cached"]
                command: sleep infinity
                network_mode: service:db
                environment: {A: "1"}
              db: {image: "postgres:1", volumes: ["data:/data"]}
            volumes: {data: {}}
            """
        let found = taken(
            #"{"dockerComposeFile": "compose.yml", "service": "app", "runServices": ["db"]}"#, compose: compose)
        #expect(found == "build compose environment services | app.volumes app.command app.network_mode")
    }

    @Test func `variables that stand for the checkout are the shell's`() {
        func setup(_ command: String) -> [String] {
            var diagnostics = Diagnostics()
            let read = Devcontainer(
                Array("{\"image\": \"a\", \"postCreateCommand\": \(command)}".utf8), file: "/p/.devcontainer.json",
                project: Project(path: "/p", owner: PodUser(user: 1, group: 1)), diagnostics: &diagnostics)
            #expect(diagnostics.list.isEmpty)
            return read.map { WorkspaceDefinition(layers: [$0.document]).setup } ?? []
        }
        #expect(setup(#""cd ${containerWorkspaceFolder}/x && echo ${HOME}""#) == ["cd ${PWD}/x && echo ${HOME}"])
        #expect(setup(#"["ls", "${localWorkspaceFolder}/a b"]"#) == [#"ls "${PWD}"'/a b'"#])
        #expect(setup(#""echo ${containerEnv:PATH} ${localWorkspaceFolderBasename}""#) == ["echo ${PATH} ${PWD##*/}"])
    }

    // MARK: The public examples

    /// The directory with checkouts of github.com/devcontainers/spec, templates and images.
    private static let corpus = ProcessInfo.processInfo.environment["SO_TEST_DEVCONTAINERS"]

    @Test(
        .enabled(
            if: corpus != nil,
            "SO_TEST_DEVCONTAINERS names no checkouts of github.com/devcontainers/{spec,templates,images}"))
    func `the public examples give a workspace what is written down for each`() throws {
        let corpus = try #require(Self.corpus)
        var found: [String] = []
        for repository in ["spec", "templates", "images"] {
            let root = "\(corpus)/\(repository)"
            for file in try files(below: root) where file.hasSuffix(".devcontainer/devcontainer.json") {
                let project = root + "/" + file.dropLast("/.devcontainer/devcontainer.json".count)
                let text = Self.withDefaults(try read(root + "/" + file), project)
                let name = file.dropLast("/.devcontainer/devcontainer.json".count).split(separator: "/").last ?? ""
                found.append("\(repository)/\(name): \(Taken(text, project: project, tree: .disk))")
            }
        }
        let expected = DevcontainerExamples.all.split(separator: "\n").map(String.init)
        for line in found where !expected.contains(line) { Issue.record("not written down: \(line)") }
        for line in expected where !found.contains(line) { Issue.record("not found: \(line)") }
    }

    /// A template with the default of each of its options, as whoever applies it puts them in.
    private static func withDefaults(_ text: String, _ project: String) -> String {
        var text = text
        let options = try? loadYAMLDocument(
            withoutComments(Array(read("\(project)/devcontainer-template.json").utf8)), file: "template")
        for option in options?.mapping?["options"]?.mapping?.entries ?? [] {
            let value = option.value.mapping?["default"]?.text ?? ""
            text = text.replacing("${templateOption:\(option.key)}", with: value)
        }
        return text
    }
}
