import Compose
import OrderedCollections
import Specs
import Testing
import YAML

@testable import Workspaces

@Suite struct DetectionTests {
    private func found(_ files: [String: String]) -> [String] {
        let tree = FileTree.memory(texts: Dictionary(uniqueKeysWithValues: files.map { ("/p/\($0.key)", $0.value) }))
        return Detection(directory: "/p", tree: tree).proposals.map { "\($0.key)=\($0.value) \($0.mark)" }
    }

    @Test func `a Python project's version and setup come with the line that says so`() {
        let found = found(["pyproject.toml": "[project]\nname = \"x\"\nrequires-python = \">=3.11\"\n", "uv.lock": ""])
        #expect(found.contains("languages.python=3.13 pyproject.toml:3"))
        #expect(found.contains("setup=pip install uv && uv sync uv.lock:1"))
        #expect(self.found([".python-version": "3.12.4\n"]).contains("languages.python=3.12 .python-version:1"))
    }

    @Test func `what Node, Go, Rust, Java, PHP and Ruby projects declare is read`() {
        let node = found([
            ".nvmrc": "v22.1.0\n", "package.json": "{\n \"devDependencies\": {\n  \"@playwright/test\": \"1\"}\n}",
            "package-lock.json": "{}",
        ])
        #expect(node.contains("languages.node=22 .nvmrc:1"))
        #expect(node.contains("setup=npm ci package-lock.json:1"))
        #expect(node.contains("frameworks=playwright package.json:3"))
        #expect(found(["go.mod": "module x\n\ngo 1.24.1\n"]).contains("languages.go=1.24 go.mod:3"))
        #expect(found(["Cargo.toml": "[package]\n"]).contains { $0.hasPrefix("languages.rust=1.90") })
        #expect(
            found(["pom.xml": "<project>\n<java.version>17</java.version>\n"]).contains("languages.java=17 pom.xml:2"))
        let laravel = found(["composer.json": "{\"require\": {\"php\": \"^8.2\",\n\"laravel/framework\": \"^11\"}}"])
        #expect(laravel.contains("frameworks=laravel composer.json:2"))
        #expect(laravel.first == "template=laravel composer.json:2")
        #expect(found(["Gemfile": "ruby \"3.3.0\"\n"]).contains("languages.ruby=3.3 Gemfile:1"))
    }

    @Test func `the names in a .env propose databases, unless the project's compose file runs them`() {
        let files = [".env": "DB_CONNECTION=mysql\nREDIS_HOST=localhost\nPORT=3000\n", ".gitignore": "/vendor\n.env\n"]
        let found = found(files)
        #expect(found.contains("databases=mysql .env:1"))
        #expect(found.contains("databases=redis .env:2"))
        #expect(found.contains("ports=3000 .env:3"))
        #expect(found.contains("copy=.env .gitignore:2"))
        let composed = self.found(files.merging(["compose.yaml": "services: {}\n"]) { $1 })
        #expect(composed.contains("compose=compose.yaml compose.yaml:1"))
        #expect(!composed.contains { $0.hasPrefix("databases") })
    }

    @Test func `what is proposed is a sound definition`() throws {
        let tree = FileTree.memory(texts: [
            "/p/pyproject.toml": "requires-python = '>=3.12'\n", "/p/.env": "REDIS_URL=redis://x\nPORT=8000\n",
        ])
        var diagnostics = Diagnostics()
        _ = DefinitionDocument(
            Detection(directory: "/p", tree: tree).node, layer: .workspace, diagnostics: &diagnostics)
        #expect(diagnostics.list.isEmpty)
    }
}

@Suite struct DevcontainerTests {
    private static let project = Project(path: "/p", owner: PodUser(user: 1000, group: 1000))

    private func read(_ text: String) -> (WorkspaceDefinition?, [String]) {
        var diagnostics = Diagnostics()
        let read = Devcontainer(
            Array(text.utf8), file: "/p/.devcontainer/devcontainer.json", project: Self.project,
            diagnostics: &diagnostics)
        return (read.map { WorkspaceDefinition(layers: [$0.document]) }, diagnostics.list.map(\.description))
    }

    @Test func `comments, trailing commas and all that a workspace has are read`() {
        let (definition, messages) = read(
            """
            // a comment with "quotes"
            {
            \t"name": "x", /* a block, // nested */
            \t"build": {"dockerfile": "Dockerfile", "context": "..", "args": {"A": "1"}},
            \t"forwardPorts": [3000, "db:5432"],
            \t"containerEnv": {"URL": "http://a//b", "H": "${localEnv:HOME}"},
            \t"postCreateCommand": ["npm", "run", "a b"],
            \t"features": {"x": {}},
            }
            """)
        #expect(
            definition?.source
                == .build(ProjectBuild(context: ".", containerfile: ".devcontainer/Dockerfile", arguments: ["A": "1"])))
        #expect(definition?.ports == [3000])
        #expect(definition?.environment == ["URL": "http://a//b"])
        #expect(definition?.setup == ["npm run 'a b'"])
        #expect(messages.contains { $0.contains("devcontainer.json:8:2: warning: `features` is ignored") })
        #expect(messages.contains { $0.contains("`containerEnv.H` is ignored") })
        #expect(messages.contains { $0.contains("db:5432 is ignored") })
    }

    @Test func `the service of a compose file is the workspace, and the others run beside it`() {
        let compose = """
            services:
              app: {build: {context: .., dockerfile: .devcontainer/Dockerfile, args: {V: "1"}}, environment: {A: "1"}}
              db: {image: postgres}
              extra: {image: redis}
            """
        let tree = FileTree.memory(texts: ["/p/.devcontainer/compose.yml": compose])
        func read(_ service: String, _ more: String = "") -> (WorkspaceDefinition?, [String]) {
            var diagnostics = Diagnostics()
            let text = "{\"dockerComposeFile\": \"compose.yml\", \"service\": \"\(service)\"\(more)}"
            let read = Devcontainer(
                Array(text.utf8), file: "/p/.devcontainer/devcontainer.json", project: Self.project, tree: tree,
                diagnostics: &diagnostics)
            return (read.map { WorkspaceDefinition(layers: [$0.document]) }, diagnostics.list.map(\.description))
        }
        let (definition, messages) = read("app")
        #expect(messages == [])
        #expect(
            definition?.source
                == .build(ProjectBuild(context: ".", containerfile: ".devcontainer/Dockerfile", arguments: ["V": "1"])))
        #expect(definition?.environment == ["A": "1"])
        #expect(definition?.compose.services == ["db", "extra"])
        #expect(read("app", ", \"runServices\": [\"app\", \"db\"]").0?.compose.services == ["db"])
        #expect(read("nope").1.first?.contains("no service 'nope'") == true)
    }

    @Test(arguments: [
        "{\"image\": \"a\", \"initializeCommand\": \"touch /tmp/x\"}", "{\"image\": \"a\", \"privileged\": true}",
        "{\"image\": \"a\", \"mounts\": [\"source=/,target=/host,type=bind\"]}",
    ])
    func `what would reach the host is refused with its line`(_ text: String) {
        #expect(
            read(text).1.contains {
                $0.contains("devcontainer.json:1:") && $0.contains("error:") && $0.contains("is refused")
            })
    }
}
