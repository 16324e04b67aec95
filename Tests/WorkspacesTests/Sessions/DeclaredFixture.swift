import Deployments
import ExternalTools
import FoundationEssentials
import Specs
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// A project with a workspace.yml, a user with settings and declared agents, and a scripted provider of models: sessions as `so session` starts them.
struct DeclaredFixture {
    static let realKey = "sk-real-credential-9876543210"

    let directory: String
    let source: GitRepository
    let image: String
    let model: ModelServer
    /// Changes what the definition, the settings and the declarations say.
    var change: @Sendable (inout SessionParts) -> Void = { _ in }

    /// Variables of the user's environment besides.
    var more: [String: String] = [:]

    var environment: [String: String] {
        var environment = TestSupport.Podman.environment
        environment["HOME"] = directory
        environment["XDG_CONFIG_HOME"] = directory + "/config"
        environment["XDG_STATE_HOME"] = directory + "/state"
        environment["SCRIPTED_KEY"] = Self.realKey
        environment.merge(more) { $1 }
        for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] { environment[name] = Self.realKey }
        return environment
    }

    var context: WorkspaceContext {
        WorkspaceContext(
            environment: environment, dataDirectory: Shared.packageRoot,
            executable: Shared.packageRoot + "/.build/debug/so")
    }

    var service: SessionService {
        let deployments = DeploymentService(DeploymentHost(environment: environment))
        let finder = ChangedParts(base: ProjectSessionParts(context), change: change)
        var service = SessionService(deployments, state: directory + "/state/so", finder: finder)
        if let cluster = TestCluster.named {
            service.spec.deployTo = .kubernetes
            service.spec.kubeConfig = Located(cluster.kubeconfig)
        }
        return service
    }

    /// Lets the model server answer an agent that is declared with another address.
    func declare(_ name: String, _ text: String) throws {
        try FileManager.default.createDirectory(
            atPath: directory + "/config/so/agents", withIntermediateDirectories: true)
        try write(text, to: directory + "/config/so/agents/\(name).yml")
    }

    /// Where pods of a network with a way out find the model server.
    var upstream: String { "http://\(TestRuntime.host):\(model.port)" }

    /// An agent of one line of shell, with the provider that Claude Code has.
    ///
    /// - Parameter upstream: where the provider is; nil: the model server.
    func declareScripted(_ script: String, upstream: String? = nil) throws {
        let words = Node.list(["sh", "-c", script].map { .string($0) }).json()
        try declare(
            "scripted",
            """
            name: scripted
            commands:
              interactive: \(words)
              headless: [sh, -c, \(Node.string(script).json()), agent, "${PROMPT}"]
            environment: {SCRIPTED_TOKEN: "${TOKEN}"}
            providers: [{name: anthropic, dialect: anthropic, upstream: "\(upstream ?? self.upstream)"}]
            authentication: [{variable: SCRIPTED_KEY, provider: anthropic, headers: {x-api-key: "${CREDENTIAL}"}}]
            """)
    }

    func define(_ text: String) throws {
        try write("image: \(image)\n\(text)\n", to: source.directory + "/workspace.yml")
    }

    var request: SessionRequest { SessionRequest(directory: source.directory) }

    func headless(_ prompt: String, _ arguments: [String] = []) -> SessionRequest {
        var request = request
        (request.prompt, request.arguments) = (prompt, arguments)
        return request
    }

    /// What a shell command prints in the agent's pod, its exit code last.
    func inside(_ record: SessionRecord, _ script: String) async throws -> String {
        let output = try await WorkspacePod(service.deployment(record)).capture(["sh", "-c", script])
        return output.text + output.standardError + " \(output.status)"
    }

    func ended(_ record: SessionRecord) async throws {
        try await eventually("the agent has ended") {
            try await service.agentExit(record) != nil
        }
    }
}

struct ChangedParts: SessionPartsFinder {
    var base: ProjectSessionParts
    var change: @Sendable (inout SessionParts) -> Void

    func definition(_ project: Project, _ request: SessionRequest) throws -> WorkspaceDefinition {
        try base.definition(project, request)
    }

    func parts(
        _ record: SessionRecord, _ project: Project, _ definition: WorkspaceDefinition, start: StartingPoint,
        events: @escaping SessionEvents
    ) async throws -> SessionParts {
        var parts = try await base.parts(record, project, definition, start: start, events: events)
        change(&parts)
        guard let cluster = TestCluster.named else { return parts }
        // As a registry does elsewhere.
        let others = parts.part.services.values.compactMap { $0.text("image") }
        for image in [parts.image] + others { try await cluster.load(image) }
        return parts
    }

    func fingerprint(_ definition: WorkspaceDefinition) throws -> String { try base.fingerprint(definition) }

    func output(of agent: String) throws -> AgentDeclaration.OutputFormat { try base.output(of: agent) }
}

/// Runs a test with a project of one commit and a model that answers as the script says; nothing of its sessions may be left where they run.
func withDeclaredSessions(
    _ script: [ModelServer.Step] = [], isolation: isolated (any Actor)? = #isolation,
    _ body: (DeclaredFixture) async throws -> Void
) async throws {
    let image = try await DebianImage.image()
    try await withModelServer(script, address: "0.0.0.0") { model in
        try await withTemporaryDirectory("so-declared") { directory in
            let source = try await GitRepository(directory + "/project")
            try await source.commit(["a.txt": "one\n"], "first")
            let fixture = DeclaredFixture(directory: directory, source: source, image: image, model: model)
            var failure: (any Error)?
            do { try await body(fixture) } catch { failure = error }
            let ids = try SessionStore(state: directory + "/state/so").all().map(\.id.description)
            for id in ids {
                let left = try await TestRuntime.named(id)
                if failure == nil { #expect(left == []) }
                await TestRuntime.removeAll(named: id)
            }
            if let failure { throw failure }
        }
    }
}
