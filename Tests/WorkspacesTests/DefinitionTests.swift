import Compose
import OrderedCollections
import Specs
import Testing
import YAML

@testable import Workspaces

@Suite struct DefinitionTests {
    private static let project = Project(path: "/home/me/shop", owner: PodUser(user: 1000, group: 1000))

    static let templates = [
        "/data/config/templates/default/template.yml": """
        description: plain
        variables:
          BASE_IMAGE: {required: true, help: base}
          CPUS: {default: "", help: CPUs}
          GIT_NAME: {default: nobody, help: a name}
        definition:
          tools: [jq]
          languages: {python: "3.11"}
          resources: {cpus: "${CPUS}"}
        verify: [git --version]
        """,
        "/data/config/templates/default/Containerfile": "FROM ${BASE_IMAGE}\nRUN echo $$HOME ${GIT_NAME}\n",
    ]

    static func tree(_ files: [String: String]) -> FileTree {
        .memory(texts: files.merging(templates) { $1 })
    }

    static func load(
        _ files: [String: String], settings: String = "", flags: DefinitionFlags = DefinitionFlags(),
        environment: [String: String] = [:]
    ) throws -> LoadedDefinition {
        let tree = tree(files)
        var diagnostics = Diagnostics()
        let node = try loadYAMLDocument(Array(settings.utf8), file: "settings.yml")
        let settings = UserSettings(node.isNull ? .map([]) : node, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return try LoadedDefinition(
            project, settings: settings,
            templates: TemplateStore(
                project: project, environment: ["HOME": "/home/me"], dataDirectory: "/data", tree: tree),
            flags: flags, environment: environment, tree: tree)
    }

    @Test func `what a runtime cannot do is an error or a warning at its line`() throws {
        let text = "agent: claude-code\nruntime-class: gvisor\nresources: {disk: 20Gi}\n"
        let loaded = try Self.load(["/home/me/shop/workspace.yml": text], environment: ["BASE_IMAGE": "x"])
        let refused = Self.messages {
            _ = try loaded.check(SessionRuntime())
            return loaded
        }
        #expect(refused.first?.contains("workspace.yml:2:16: error: runtime-class: podman has no RuntimeClass") == true)
        #expect(try loaded.check(SessionRuntime(.kubernetes)) == [])
        let disk = try Self.load(
            ["/home/me/shop/workspace.yml": "resources: {disk: 20Gi}\n"], environment: ["BASE_IMAGE": "x"])
        let warned = try disk.check(SessionRuntime()).map(\.description)
        #expect(warned.count == 1 && warned[0].contains("workspace.yml:1:19: warning: resources.disk"), "\(warned)")
        let cached = try Self.load(
            ["/home/me/shop/workspace.yml": "cache: true\n"], environment: ["BASE_IMAGE": "x"])
        for runtime in [SessionRuntime(), SessionRuntime(.kubernetes)] {
            let messages = Self.messages {
                _ = try cached.check(runtime)
                return cached
            }
            #expect(messages.first?.contains("workspace.yml:1:8: error: cache: nothing is shared") == true)
        }
    }

    static func messages(_ body: () throws -> LoadedDefinition) -> [String] {
        do {
            _ = try body()
            return []
        } catch let error as InvalidInput {
            return error.diagnostics.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `template, workspace.yml, settings and flags are laid over each other, and every value says its layer`()
        throws
    {
        var flags = DefinitionFlags()
        flags.languages = ["node=22"]
        flags.memory = "4Gi"
        let loaded = try Self.load(
            ["/home/me/shop/workspace.yml": "languages: {python: \"3.12\"}\nresources: {memory: 8Gi}\non-exit: keep\n"],
            settings: "workspace: {on-exit: merge, agent: codex}\nvariables: {CPUS: \"4\"}\n", flags: flags)
        let definition = loaded.definition
        #expect(definition.languages == ["python": "3.12", "node": "22"])
        #expect(definition.tools == ["jq"])
        #expect(definition.resources.memory?.text == "4Gi")
        #expect(definition.resources.cpus?.text == "4")
        #expect(definition.onExit == .merge)
        let lines = Dictionary(uniqueKeysWithValues: definition.explanation.map { ($0.path, $0) })
        #expect(lines["languages.python"]?.layer == "workspace.yml")
        #expect(lines["languages.python"]?.place == "/home/me/shop/workspace.yml:1:21")
        #expect(lines["languages.node"]?.layer == "flag")
        #expect(lines["languages.node"]?.place == "--language")
        #expect(lines["tools"]?.layer == "template")
        #expect(lines["agent"]?.layer == "user settings")
        #expect(lines["keep-running"]?.layer == "default")
        #expect(lines["resources.memory"]?.layer == "flag")
    }

    @Test func `unknown keys and bad values are told with file and line, and what comes near`() {
        let messages = Self.messages {
            try Self.load([
                "/home/me/shop/workspace.yml": """
                langauges: {python: "3.12"}
                languages: {python: "3.9", cobol: "1", pyhton: "3.12"}
                tools: [gti]
                databases: [{mysql: nowhere}]
                ports: [70000]
                copy: [../secret]
                egress: {allow: ["*"]}
                template: a
                image: b
                """
            ])
        }
        let text = messages.joined(separator: "\n")
        #expect(
            text.contains(
                "workspace.yml:1:1: error: the file: unknown key 'langauges'\nhint: did you mean 'languages'?"))
        #expect(
            text.contains(
                "workspace.yml:2:21: error: languages.python: no version '3.9'\nhint: the nearest is \"3.10\"")
        )
        #expect(text.contains("workspace.yml:2:28: error: languages: 'cobol' is not one of"))
        #expect(text.contains("workspace.yml:3:9: error: tools[0]: 'gti'"))
        #expect(text.contains("hint: did you mean git?") && text.contains("hint: did you mean python?"))
        #expect(text.contains("workspace.yml:4:21: error: databases[0].mysql: 'nowhere' is not host, or a version"))
        #expect(text.contains("workspace.yml:5:9: error:"))
        #expect(text.contains("workspace.yml:6:8: error:"))
        #expect(text.contains("workspace.yml:7:18: error:"))
        #expect(text.contains("workspace.yml:9:1: error: `template` and `image` contradict each other"))
    }

    @Test func `what is written by init reads back as the same definition`() throws {
        let text = """
            template: default
            languages: {python: "3.12"}
            databases: [postgresql, {mysql: host}, {redis: "7"}]
            ports: [3000]
            keep-running: true
            idle-timeout: 30m
            budget: {cost: 2.50}
            egress: {allow: [github.com], deny-all: false}
            """
        let one = try Self.load(["/home/me/shop/workspace.yml": text]).definition
        let two = try Self.load(["/home/me/shop/workspace.yml": one.node.yaml()]).definition
        #expect(one.node == two.node)
        #expect(one.digest == two.digest)
        #expect(
            two.databases == [
                Database(.postgresql), Database(.mysql, .host), Database(.redis, .companion(version: "7")),
            ])
        #expect(two.idleTimeout == 1800)
        #expect(two.egress.deniesAll == false)
    }

    @Test func `a project's name is its folder and the digest of its path, and always a DNS label`() {
        #expect(
            Self.project.name
                == "shop-\(Project(path: "/home/me/shop", owner: PodUser(user: 1, group: 1)).name.suffix(8))")
        for folder in ["1st", "Ünïcode", "-", "a".padding(80), "My App_2", "9"] {
            let name = Project(path: "/x/\(folder)", owner: PodUser(user: 1, group: 1)).name
            #expect(
                TextRule.label.accepts(name) && name.count <= 40 && name.first?.isLetter == true, "\(folder) \(name)")
        }
    }

    @Test func `a template that is not there names the nearest, and an unset variable its flag`() {
        let messages = Self.messages { try Self.load(["/home/me/shop/workspace.yml": "template: defualt\n"]) }
        #expect(messages.joined().contains("hint: did you mean 'default'?"))
    }

    @Test
    func
        `a template's variables come from its defaults, settings, the environment, a file and flags, the last the strongest`()
        throws
    {
        let tree = Self.tree(["/v.env": "GIT_NAME=file\n"])
        let store = TemplateStore(project: nil, environment: ["HOME": "/home/me"], dataDirectory: "/data", tree: tree)
        let template = try store.template("default", workingDirectory: "/")
        var diagnostics = Diagnostics()
        func layer(_ environment: [String: String], _ file: Bool, _ flags: [String]) -> String {
            let values = TemplateVariables(
                of: template, settings: UserSettings(), environment: environment,
                file: file ? (Array("GIT_NAME=file\n".utf8), "/v.env") : nil, flags: flags,
                fixed: ["BASE_IMAGE": "debian"],
                diagnostics: &diagnostics)
            return values.values["GIT_NAME"].map { "\($0.text) \($0.layer.rawValue)" } ?? ""
        }
        #expect(layer([:], false, []) == "nobody template")
        #expect(layer(["SO_TEMPLATE_GIT_NAME": "env"], false, []) == "env environment")
        #expect(layer(["SO_TEMPLATE_GIT_NAME": "env"], true, []) == "file env file")
        #expect(layer([:], true, ["GIT_NAME=me"]) == "me flag")
        #expect(diagnostics.list.isEmpty)
        _ = layer([:], false, ["GIT_NAM=x"])
        #expect(diagnostics.list.first?.hint == "did you mean 'GIT_NAME'?")
        var fresh = Diagnostics()
        let values = TemplateVariables(
            of: template, settings: UserSettings(), environment: [:], flags: ["GIT_NAME=me"],
            fixed: ["BASE_IMAGE": "debian"],
            diagnostics: &fresh)
        #expect(values.containerfile(diagnostics: &fresh) == "FROM debian\nRUN echo $HOME me\n")
    }
}

extension String {
    fileprivate func padding(_ count: Int) -> String { String(repeating: self, count: count) }
}
