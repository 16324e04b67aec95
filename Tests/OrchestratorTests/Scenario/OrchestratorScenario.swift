import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Orchestrator
import Specs
import TestSupport
import Testing
import Workspaces
import YAML

/// The built `so orchestrator serve` on this host, its agents on podman or on the tests' cluster, the tests' forge with real repositories, and a real
/// coding CLI whose model is scripted.
struct OrchestratorScenario: Sendable {
    let sandbox: Sandbox
    let forge: TestForge
    let repository: RepositoryReference
    let model: ModelServer
    let port: Int

    var url: String { "http://127.0.0.1:\(port)" }
    private var configuration: String { sandbox.directory + "/orchestrator.yml" }

    var webhooks: TestWebhooks {
        TestWebhooks(forge: forge, repository: repository) { request in
            var message = HTTPClientRequest(url: "\(url)/webhooks/github")
            message.method = .POST
            for (name, value) in request.headers { message.headers.add(name: name, value: value) }
            message.body = .bytes(ByteBuffer(bytes: request.body))
            let answer = try await HTTPClient.shared.execute(message, timeout: .seconds(30))
            #expect(answer.status.code == 202)
        }
    }

    func client() throws -> OrchestratorClient {
        let token = try read(sandbox.directory + "/administrator.token").filter { !$0.isWhitespace }
        return OrchestratorClient(url: url, token: token)
    }

    /// Runs a server beside the body, and interrupts it then.
    func serving(_ body: @Sendable (Running) async throws -> Void) async throws {
        if let cluster = TestCluster.named { try await bringImages(to: cluster) }
        let finished = try await sandbox.so(["orchestrator", "serve", "--config", configuration]) { running in
            try await eventually("it listens") { running.errors.contains("listening on") || !running.isAlive }
            do {
                try await body(running)
                running.terminate()
            } catch {
                Issue.record("\(error): \(running.errors)")
                running.terminate()
                throw error
            }
        }
        #expect(!finished.errors.contains("Fatal error"), "\(finished)")
    }

    func so(_ arguments: String..., input: String = "") async throws -> Finished {
        let finished = try await sandbox.so(arguments + ["--config", configuration], input: input)
        try #require(finished.succeeded, "\(finished)")
        return finished
    }

    /// Declares an agent that is a script, reads tasking.yaml and writes .so/report.yaml itself; it is the default's then.
    func declareOwn(_ script: String) throws {
        try TestSupport.write(
            """
            name: own
            commands: {interactive: [cat], headless: [sh, -c, \(Node.string(script).json()), own]}
            loop: {reporting: .so/report.yaml}
            """, to: sandbox.directory + "/home/.config/so/agents/own.yml")
        try TestSupport.write(
            try read(configuration).replacing("default: {cli: claude-code,", with: "default: {cli: own,"),
            to: configuration)
    }

    func eventuallyIn(_ state: TaskState, task number: Int, rounds: Int? = nil) async throws -> TaskView {
        let client = try client()
        var last: TaskView?
        try await eventually(within: 240, "the task of #\(number) is \(state.rawValue)") {
            last = try await client.tasks(state: nil, repository: nil, limit: 50).first { $0.issue == number }
            if let last, [.failed, .escalated].contains(last.state), last.state != state {
                throw TaskEnded(description: "\(last)")
            }
            return last?.state == state && (rounds == nil || last?.rounds == rounds)
        }
        return try #require(last)
    }

    private struct TaskEnded: Error, CustomStringConvertible { var description: String }

    /// Brings what the server will have its pods run onto the nodes, as a registry does elsewhere.
    private func bringImages(to cluster: TestCluster) async throws {
        let settings = try Configuration.load(configuration, workingDirectory: sandbox.directory)
        var context = WorkspaceContext(
            environment: sandbox.environment, dataDirectory: Shared.packageRoot, executable: Sandbox.binary)
        context.secrets = ["ANTHROPIC_API_KEY": "none"]
        let profile = settings.agent("default")
        let parts = ProfiledSessionParts(context, profile)
        try await withTemporaryDirectory("so-images") { directory in
            let clone = directory + "/shop"
            try await GitRepository.git(in: directory, ["clone", "-q", "\(forge.root)/\(repository.name).git", clone])
            let project = try Project(clone)
            var request = SessionRequest(directory: clone)
            (request.agent, request.prompt) = (profile.cli, "none")
            let definition = try parts.definition(project, request)
            var record = SessionRecord(
                id: try .random(), project: project.path, projectName: project.name, agent: profile.cli)
            record.runtime = SessionRuntime(.kubernetes, kubeconfig: cluster.kubeconfig)
            (record.prompt, record.token) = (request.prompt, "none")
            let start = try await ProjectRepository.open(clone, host: hostEnvironment).start()
            let found = try await parts.parts(record, project, definition, start: start) { _ in }
            let others = found.part.services.values.compactMap { $0.at("image")?.text }
            for image in [found.image] + others { try await cluster.load(image) }
        }
    }

    /// Of this scenario's sessions.
    var sessions: [String] {
        let directory = sandbox.directory + "/workspaces/sessions"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }
}

/// Runs a scenario; what it leaves in podman is an issue.
func withOrchestrator(
    _ script: [ModelServer.Step], files: [String: String] = [:], isolation: isolated (any Actor)? = #isolation,
    _ body: (OrchestratorScenario) async throws -> Void
) async throws {
    let image = try await DebianImage.image()
    let cli = try await AgentCLIs.image("claude-code")
    try await withModelServer(script, address: "0.0.0.0") { model in
        try await withForge { forge in
            try await withPodlessSandbox { sandbox in
                let workspace = ["workspace.yml": "image: \(image)\n", "README.md": "shop\n"]
                let repository = try await forge.repository(files: workspace.merging(files) { $1 })
                await forge.state.change(repository.name) { $0.permissions = ["ada": "write", "eve": "read"] }
                let scenario = OrchestratorScenario(
                    sandbox: sandbox, forge: forge, repository: repository, model: model, port: try freePort())
                try scenario.write(cli: cli)
                var failure: (any Error)?
                do { try await body(scenario) } catch { failure = error }
                var left: [String] = []
                for id in scenario.sessions {
                    left += try await TestRuntime.named(id)
                    await TestRuntime.removeAll(named: id)
                }
                if failure == nil { #expect(left == []) }
                if let failure { throw failure }
            }
        }
    }
}

extension OrchestratorScenario {
    fileprivate func write(cli image: String) throws {
        let own = try read(Shared.packageRoot + "/config/agents/claude-code.yml")
        let upstream = "https://api.anthropic.com"
        try #require(own.contains(upstream))
        let settings = sandbox.directory + "/home/.config/so"
        try TestSupport.write(
            own.replacing(upstream, with: "http://\(TestRuntime.host):\(model.port)")
                .replacing("packages: [python3-pip]", with: "packages: []"), to: settings + "/agents/claude-code.yml")
        try TestSupport.write("agent-images: {claude-code: \(image)}\n", to: settings + "/settings.yml")
        try TestSupport.write(
            String(decoding: TestForge.secret, as: UTF8.self), to: sandbox.directory + "/webhook", mode: 0o600)
        try TestSupport.write(TestForge.token, to: sandbox.directory + "/token", mode: 0o600)
        let cluster = TestCluster.named.map { "runtime: k8s\nkube-config: \($0.kubeconfig)\n" }
        try TestSupport.write(
            (cluster ?? "") + """
                listen: 127.0.0.1:\(port)
                url: \(url)
                forge: {kind: github, api: \(forge.api), webhook-secret-file: webhook, token-file: token}
                agents: {default: {cli: claude-code, budget-usd: 5}, second: {cli: claude-code}}
                projects: [{repository: \(repository.name), budget-usd: 50, disk-limit: 10Gi}]
                """, to: configuration)
    }
}
