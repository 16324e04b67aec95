import AgentLoop
import Compose
import FoundationEssentials
import OrderedCollections
import Specs
import TestSupport
import Testing
import YAML

@testable import Workspaces

@Suite struct ImageRecipeTests {
    private func recipe(
        _ text: String, settings: String = "", agent: AgentLayer = AgentLayer(agent: "x"), files: [String: String] = [:]
    ) throws -> ImageRecipe {
        let all = files.merging(["/home/me/shop/workspace.yml": text]) { $1 }
        return try DefinitionTests.load(all, settings: settings).recipe(agent: agent, isLasting: true)
    }

    @Test func `the same inputs have the same tag, and every input another one`() throws {
        let one = try recipe("languages: {node: \"22\"}\n")
        #expect(try recipe("languages: {node: \"22\"}\n").tag == one.tag)
        let others = [
            try recipe("languages: {node: \"20\"}\n"), try recipe("languages: {node: \"22\"}\ntools: [gh]\n"),
            try recipe("languages: {node: \"22\"}\nuser: 7:8\n"),
            try recipe("languages: {node: \"22\"}\n", settings: "base-image: mine:1\n"),
            try recipe("languages: {node: \"22\"}\n", settings: "language-images: {node: \"n:{version}\"}\n"),
            try recipe("languages: {node: \"22\"}\n", agent: AgentLayer(agent: "x", instructions: ["RUN true"])),
            try recipe(
                "languages: {node: \"22\"}\n",
                agent: AgentLayer(agent: "x", contextFiles: ["a": .bytes([1], mode: 0o644)])),
            try recipe(
                "languages: {node: \"22\"}\n",
                agent: AgentLayer(agent: "x", contextFiles: ["a": .bytes([2], mode: 0o644)])),
        ]
        #expect(Set(others.map(\.tag) + [one.tag]).count == others.count + 1)
    }

    @Test func `languages are copied from official images, through the mirror or a setting, the agent last`() throws {
        let layer = AgentLayer(agent: "x", instructions: ["RUN install-agent"])
        let text = try recipe("languages: {python: \"3.12\", go: \"1.24\"}\n", agent: layer).containerfile
        #expect(text.contains("COPY --from=docker.io/library/python:3.12-slim-bookworm /usr/local/ /usr/local/"))
        #expect(text.contains("ENV PATH=/usr/local/go/bin:$PATH"))
        #expect(text.hasPrefix("FROM docker.io/library/debian:bookworm-slim\n"))
        let positions = ["apt-get", "COPY --from", "/home/agent", "RUN install-agent", "USER 1000:1000"].map {
            text.range($0)
        }
        #expect(positions == positions.sorted())
        let mirrored = try recipe(
            "languages: {go: \"1.24\", python: \"3.12\"}\n",
            settings: "registry-mirror: mirror.test/hub\nlanguage-images: {python: \"py:{version}\"}\n"
        ).containerfile
        #expect(mirrored.contains("--from=mirror.test/hub/golang:1.24-bookworm"))
        #expect(mirrored.contains("--from=py:3.12 "))
        #expect(mirrored.contains("FROM mirror.test/hub/debian:bookworm-slim"))
    }

    @Test func `an agent's image stands for its installation`() throws {
        let text = try recipe(
            "", settings: "agent-images: {x: \"cli:1\"}\n", agent: AgentLayer(agent: "x", instructions: ["RUN no"])
        ).containerfile
        #expect(text.contains("COPY --from=cli:1 /opt/agent /opt/agent"))
        #expect(!text.contains("RUN no"))
    }

    @Test func `a build of the project's is built first, stays in the project, and its files count`() throws {
        let files = ["/home/me/shop/docker/Dockerfile": "FROM a\n", "/home/me/shop/docker/x": "1"]
        let one = try recipe("build: docker\n", files: files)
        #expect(one.base?.context == "/home/me/shop/docker")
        #expect(one.base.map { one.containerfile.hasPrefix("FROM \($0.tag)\n") } == true)
        let other = try recipe("build: docker\n", files: files.merging(["/home/me/shop/docker/x": "2"]) { $1 })
        #expect(one.tag != other.tag)
        #expect(throws: WorkspaceError.self) { try self.recipe("build: nowhere\n") }
    }

    @Test func `a lasting workspace of a root's project needs a user, and its session has one`() throws {
        let project = Project(path: "/srv", owner: PodUser(user: 0, group: 0))
        let definition = WorkspaceDefinition()
        let error = #expect(throws: WorkspaceError.self) { try definition.podUser(of: project, isLasting: true) }
        #expect(error?.hint?.contains("user: 1000:1000") == true)
        #expect(try definition.podUser(of: project, isLasting: false) == PodUser(user: 1000, group: 1000))
    }

    @Test func `playwright without node or python is told with its line`() {
        let error = #expect(throws: WorkspaceError.self) {
            try DefinitionTests.load(["/home/me/shop/workspace.yml": "image: a\nframeworks: [playwright]\n"])
                .recipe(agent: AgentLayer(agent: "x"), isLasting: true)
        }
        #expect(error?.message.contains("workspace.yml:2:13") == true)
    }
}

extension String {
    fileprivate func range(_ text: String) -> Int {
        ranges(of: text).first.map { distance(from: startIndex, to: $0.lowerBound) } ?? Int.max
    }
}

/// Agents of an orchestrator run in the loop of `so-agent`.
@Suite struct AgentLoopRunTests {
    private let declaration = """
        name: scripted
        title: Scripted
        commands:
          interactive: [cli]
          headless: [cli, -p, "${PROMPT}", --json]
          resume: [cli, --continue]
          headless-resume: [cli, --continue, -p, "${PROMPT}", --json]
        output: codex-json
        """

    @Test func `the session's prompt is a tasking.yaml, and the CLI's words are in the loop's configuration`() throws {
        let agent = try AgentDeclaration.parse(Array(declaration.utf8), file: "scripted.yml")
        var record = SessionRecord(
            id: try #require(SessionID("s-abcd1234")), project: "/p/shop", projectName: "shop", agent: "scripted")
        record.prompt = "version: 1"
        record.arguments = ["--fast"]
        var run = agent.run(
            prompt: record.prompt, arguments: ["--fast"], session: "x", workTree: "/work/shop", token: "t")
        try run.enterLoop(agent, record, timeLimit: 60)
        #expect(run.headless == ["so-agent", "run", AgentRun.loopFile, "--tasking", "version: 1"])
        #expect(run.headlessResume == run.headless)
        let bytes = try #require(run.files[AgentRun.loopFile])
        let configuration = try JSONDecoder().decode(LoopConfiguration.self, from: Data(bytes))
        #expect(configuration.headless == ["cli", "-p", "${PROMPT}", "--json", "--fast"])
        #expect(configuration.headlessResume?.first == "cli" && configuration.output == .codex)
        #expect(configuration.directory == "/work/shop" && configuration.agentType == "scripted")
    }

    @Test func `the loop is the image's last layer, whichever way the agent comes`() throws {
        try withTemporaryFile { program in
            let layer = try AgentLayer(agent: "x", instructions: ["RUN install-agent"]).with(loop: program)
            for settings in ["", "agent-images: {x: \"cli:1\"}\n"] {
                let recipe = try DefinitionTests.load(
                    ["/home/me/shop/workspace.yml": "", program: "program"], settings: settings
                )
                .recipe(agent: layer, isLasting: false)
                #expect(recipe.containerfile.contains("COPY so-agent /usr/local/bin/so-agent\nUSER "))
                #expect(recipe.contextFiles["so-agent"] != nil)
            }
        }
        #expect(throws: WorkspaceError.self) { try AgentLayer(agent: "x").with(loop: "/nonexistent/so-agent") }
    }

    private func withTemporaryFile(_ body: (String) throws -> Void) throws {
        let directory = try makeTemporaryDirectory()
        defer { removeTree(directory) }
        try write("program", to: directory + "/so-agent", mode: 0o755)
        try body(directory + "/so-agent")
    }
}
