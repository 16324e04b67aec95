import FoundationEssentials
import NIOCore
import NIOPosix
import Orchestrator
import SystemCrypto
import TestSupport
import Testing
import Workspaces
import YAML

/// What is told of a configuration before anything depends on it.
@Suite struct CheckTests {
    private func configuration(
        _ text: String, files: [String: String] = ["token": "ghp_x", "webhook": "secret"],
        _ body: (Configuration, WorkspaceContext) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            for (name, text) in files { try write(text, to: "\(directory)/\(name)", mode: 0o600) }
            try write(text, to: directory + "/orchestrator.yml")
            let context = WorkspaceContext(
                environment: ["PATH": "/usr/bin:/bin", "HOME": directory], dataDirectory: Shared.packageRoot)
            try await body(try Configuration.load("orchestrator.yml", workingDirectory: directory), context)
        }
    }

    private static func text(api: String = "https://api.github.com", agent: String = "cli: claude-code") -> String {
        """
        url: https://so.example.com
        forge: {kind: github, api: \(api), webhook-secret-file: webhook, token-file: token}
        agents:
          default: {\(agent)}
        projects: [{repository: acme/shop}]
        """
    }

    @Test(arguments: [
        ("cli: nope", "orchestrator.yml:4:18: error: agents.default.cli:"),
        (
            "cli: claude-code, template: nope",
            "orchestrator.yml:4:41: error: agents.default.template: no template 'nope'"
        ),
        (
            "cli: claude-code, limits: {memory: 16Mi}",
            "orchestrator.yml:4:48: error: agents.default.limits.memory: no agent"
        ),
        ("cli: claude-code, limits: {cpus: 1m}", "orchestrator.yml:4:46: error: agents.default.limits.cpus: no agent"),
        ("cli: claude-code, limits: {disk: 1Mi}", "orchestrator.yml:4:46: error: agents.default.limits.disk: no agent"),
        ("cli: claude-code, timeout: 1s", "orchestrator.yml:4:40: error: agents.default.timeout: no agent"),
    ])
    func `an agent that could never work is told with its place`(agent: String, says: String) async throws {
        try await configuration(Self.text(agent: agent)) { configuration, context in
            let faults = configuration.agentFaults(context).map(\.description)
            #expect(faults.count == 1 && faults[0].hasPrefix(says) && faults[0].contains("\nhint: "), "\(faults)")
        }
        try await configuration(Self.text()) { configuration, context in
            #expect(configuration.agentFaults(context).isEmpty)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `all is looked at, agents and their credentials too, and a forge that does not answer is not waited for`()
        async throws
    {
        try await configuration(Self.text(api: "http://127.0.0.1:9")) { configuration, context in
            let credentials = MemoryCredentials()
            let checks = await configuration.checks(context) {
                credentials
            } runtime: {
            }
            let problems = Dictionary(uniqueKeysWithValues: checks.map { ($0.name, $0.problem ?? "") })
            #expect(
                checks.map(\.name) == ["store", "forge", "credentials", "runtime", "project acme/shop", "agents"])
            #expect(problems["forge"]?.contains("http://127.0.0.1:9 does not answer") == true)
            #expect(problems["project acme/shop"]?.contains("does not answer") == true)
            let missing = "orchestrator.yml:4:18: agents.default: Claude Code has no credential of anthropic"
            #expect(problems["credentials"] == missing)
            #expect(problems["store"] == "" && problems["agents"] == "" && problems["runtime"] == "")
            credentials.set("ANTHROPIC_API_KEY", to: [1])
            let again = await configuration.checks(context) {
                credentials
            } runtime: {
            }
            #expect(again.first { $0.name == "credentials" }?.problem == nil)
        }
    }

    @Test func `what never answers is said to, and keeps nothing else from being told`() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        try await configuration(Self.text(api: "http://127.0.0.1:\(port)")) { configuration, context in
            let checks = await configuration.checks(context, patience: .seconds(1)) {
                MemoryCredentials()
            } runtime: {
            }
            let problem = checks.first { $0.name == "forge" }?.problem
            #expect(problem == "there was no answer within 1 s")
            #expect(checks.first { $0.name == "store" }?.problem == nil)
        }
        try await listener.close()
    }

    @Test func `files of secrets are told with the place of the key that names them`() async throws {
        func problem(_ files: [String: String], _ text: String = Self.text()) async throws -> String {
            var problem = ""
            try await configuration(text, files: files) { configuration, _ in
                let error = #expect(throws: OrchestratorError.self) { try configuration.openForge() }
                problem = error?.description ?? ""
            }
            return problem
        }
        #expect(try await problem(["webhook": "x"]).hasPrefix("orchestrator.yml:2:"))
        #expect(try await problem(["webhook": "x", "token/x": ""]).contains(": forge.token-file: the file /"))
        let app = Self.text().replacing("token-file: token", with: "app-id: \"1\", private-key-file: key")
        let bad = try await problem(["webhook": "x", "key": "-----BEGIN NOTHING-----"], app)
        #expect(bad.hasPrefix("orchestrator.yml:2:") && bad.contains("is not a key of a GitHub App"))
        #expect(bad.contains("hint: ") && !bad.contains("BEGIN NOTHING"))
    }

    @Test func `a port that is taken is told with the place of the address`() async throws {
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        try await configuration("listen: 127.0.0.1:\(port)\n" + Self.text()) { configuration, _ in
            let store = try await configuration.openStore()
            let server = try OrchestratorServer(
                ServerParts(
                    configuration: configuration, store: store, forge: try configuration.openForge(),
                    credentials: MemoryCredentials(), runner: ScriptedRunner(), host: "host-a"
                ) { _ in })
            let error = await #expect(throws: OrchestratorError.self) { try await server.run() }
            #expect(
                error?.description.hasPrefix("orchestrator.yml:1:9: listen: cannot listen on 127.0.0.1:\(port)") == true
            )
        }
        try await listener.close()
    }
}
