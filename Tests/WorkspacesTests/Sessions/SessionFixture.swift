import AgentLoop
import Deployments
import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

/// Parts of sessions whose agent is a script of the test's.
struct ScriptedParts: SessionPartsFinder {
    var image: String
    /// What the agent does, in the checkout.
    var script: String
    var copy: [String] = []
    var setup: [String] = []
    var onExit: ExitPolicy?
    var idleTimeout: Int?
    /// Services beside the agent's.
    var part = StackPart()

    func definition(_ project: Project, _ request: SessionRequest) throws -> WorkspaceDefinition {
        var definition = WorkspaceDefinition()
        definition.agent = request.agent ?? "scripted"
        definition.copy = copy
        definition.setup = setup
        definition.onExit = onExit
        definition.idleTimeout = idleTimeout
        definition.user = PodUser(user: 1000, group: 1000)
        return definition
    }

    func parts(
        _ record: SessionRecord, _ project: Project, _ definition: WorkspaceDefinition, start: StartingPoint,
        events: @escaping SessionEvents
    ) async throws -> SessionParts {
        let words = ["sh", "-c", script, "agent"] + record.arguments
        let agent = AgentRun(
            interactive: words, headless: words + [record.prompt ?? ""],
            resume: ["sh", "-c", "echo resumed >>resumed.txt; exec sleep 100000"],
            headlessResume: nil, environment: ["AGENT_SETTING": "a $value"],
            files: ["\(PodPaths.home)/.agent/config": Array("first run\n".utf8)])
        return SessionParts(
            definition: definition, image: image, agent: agent, part: part, passed: ["PASSED": "pa$$ed"])
    }

    func fingerprint(_ definition: WorkspaceDefinition) throws -> String { "" }

    func output(of agent: String) throws -> AgentDeclaration.OutputFormat { .text }
}

/// A project and the service of its sessions, with state of its own.
struct SessionFixture {
    let directory: String
    let source: GitRepository
    let image: String
    var state: String { directory + "/state" }

    func service(_ script: String, change: (inout ScriptedParts) -> Void = { _ in }) -> SessionService {
        var parts = ScriptedParts(image: image, script: script)
        change(&parts)
        var environment = TestSupport.Podman.environment
        environment["HOME"] = directory
        return SessionService(
            DeploymentService(DeploymentHost(environment: environment)), state: state, finder: parts)
    }

    var request: SessionRequest { SessionRequest(directory: source.directory) }

    func headless(_ prompt: String = "do it") -> SessionRequest {
        var request = request
        request.prompt = prompt
        return request
    }

    /// What a command prints in a session's checkout.
    func inside(_ service: SessionService, _ record: SessionRecord, _ script: String) async throws -> String {
        let directory = PodPaths.checkout(record.projectName)
        return try await WorkspacePod(service.deployment(record)).capture(["sh", "-c", "cd \(directory) && \(script)"])
            .text
    }

    /// Waits for the agent's end.
    func ended(_ service: SessionService, _ record: SessionRecord) async throws {
        try await eventually("the agent has ended") { try await service.agentExit(record) != nil }
    }
}

/// Runs a test with a project of two commits, and expects that nothing of its sessions is left in podman.
func withSessions(isolation: isolated (any Actor)? = #isolation, _ body: (SessionFixture) async throws -> Void)
    async throws
{
    try await withTemporaryDirectory("so-session") { directory in
        let source = try await GitRepository(directory + "/project")
        try await source.commit(["a.txt": "one\n", ".gitignore": "*.log\n.env\n"], "first")
        try await source.commit(["a.txt": "one\ntwo\n"], "second")
        let fixture = SessionFixture(directory: directory, source: source, image: try await DebianImage.image())
        var failure: (any Error)?
        do { try await body(fixture) } catch { failure = error }
        let ids = try SessionStore(state: fixture.state).all().map(\.id.description)
        for id in ids {
            let left = try await TestSupport.Podman.named(id)
            if failure == nil { #expect(left == []) }
            await TestSupport.Podman.removeAll(named: id)
        }
        if let failure { throw failure }
    }
}
