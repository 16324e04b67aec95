import OrderedCollections
import TestSupport
import Testing

@testable import Workspaces

@Suite struct AgentDeclarationTests {
    static let directory = Shared.packageRoot + "/config/agents"

    @Test(arguments: ["aider", "claude-code", "codex", "gemini", "mini-swe-agent", "mistral-vibe", "opencode"])
    func `every agent that so comes with is declared whole`(_ name: String) throws {
        let agent = try AgentDeclaration.load(name, from: [Self.directory])
        #expect(agent.name == name)
        #expect(agent.commands.headless.contains("${PROMPT}"))
        #expect(!agent.authentication.isEmpty)
        let providers = Set(agent.providers.map(\.name))
        #expect(agent.authentication.allSatisfy { providers.contains($0.provider) })
        #expect(!agent.install.run.isEmpty)
    }

    @Test func `a name that there is not gets the nearest`() {
        #expect(throws: WorkspaceError.self) { try AgentDeclaration.load("claude-cod", from: [Self.directory]) }
        let error = #expect(throws: WorkspaceError.self) { try AgentDeclaration.load("codx", from: [Self.directory]) }
        #expect(error?.hint?.contains("codex") == true)
        #expect(throws: WorkspaceError.self) { try AgentDeclaration.load("../agents/codex", from: [Self.directory]) }
    }

    @Test func `a fault is named with its place`() {
        let error = #expect(throws: WorkspaceError.self) {
            try AgentDeclaration.parse(Array("name: x\ncommands:\n  interactiv: [x]\n".utf8), file: "x.yml")
        }
        #expect(error?.description.contains("x.yml:3") == true)
    }

    @Test func `a path with quotes stays inside its quotes`() throws {
        let agent = try AgentDeclaration.load("claude-code", from: [Self.directory])
        let values = AgentPlaceholders(egress: "http://egress:8080", token: "t", workTree: "/w/a\"b\\c", home: "/h")
        let file = try #require(agent.setting(values).files["/h/.claude.json"])
        #expect(String(decoding: file, as: UTF8.self).contains(#""/w/a\"b\\c""#))
    }

    @Test func `a prompt is one argument whatever is in it`() throws {
        let agent = try AgentDeclaration.load("codex", from: [Self.directory])
        let line = agent.headlessCommand(prompt: "--help; $(rm) ${SESSION}", arguments: ["-m", "x"], session: "s")
        #expect(line.last == "--help; $(rm) ${SESSION}")
        #expect(line.dropLast(2).suffix(2) == ["-m", "x"])
    }
}
