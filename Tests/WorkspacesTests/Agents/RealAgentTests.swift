import AgentLoop
import Egress
import FoundationEssentials
import OrderedCollections
import TestSupport
import Testing

@testable import Workspaces

/// Claude Code and Codex as they are, each with what its declaration says and nothing else, through the real egress program.
@Suite(.agentCLIs, .serialized) struct RealAgentTests {
    enum CLI: String, CaseIterable, Sendable {
        case claude = "claude-code"
        case codex

        var program: String { self == .claude ? AgentCLIs.claude : AgentCLIs.codex }
    }

    @Test(arguments: CLI.allCases)
    func `a headless prompt edits a file, and what it used is counted`(_ cli: CLI) async throws {
        let run = try await drive(cli, [.shell("printf hi > hello.txt"), .text("All done.")])
        #expect(run.result.succeeded == true)
        #expect(run.files["hello.txt"] == "hi")
        #expect(
            run.events.contains { if case .tool(_, let detail) = $0 { detail.contains("hello.txt") } else { false } })
        #expect(run.status.requests == 2)
        #expect(run.status.usage.output == 154)
        #expect(run.status.usage.cacheRead == 10_000)
        #expect(run.status.cost > 0)
    }

    @Test(arguments: CLI.allCases)
    func `the agent never sees the real credential, and the provider never the session's token`(_ cli: CLI) async throws
    {
        let run = try await drive(cli, [.shell("env > env.txt; cat /proc/self/environ > environ.txt"), .text("Done.")])
        #expect(run.files["env.txt"]?.contains(token) == true)
        #expect(!run.files.values.contains { $0.contains(realKey) })
        #expect(run.requests.allSatisfy { $0.contains(realKey) && !$0.contains(token) })
        #expect(!run.requests.isEmpty)
    }

    @Test(arguments: CLI.allCases)
    func `a credential that the provider refuses fails the run with its words`(_ cli: CLI) async throws {
        let run = try await drive(cli, Array(repeating: .failure(status: 401), count: 12))
        #expect(run.result.succeeded == false)
        #expect(run.result.message?.contains("401") == true)
        #expect(run.status.cost == 0)
    }

    @Test(arguments: [CLI.claude])
    func `a provider that is busy is asked again after the time that it names`(_ cli: CLI) async throws {
        let run = try await drive(
            cli, [.failure(status: 429, retryAfter: 1), .shell("printf hi > hello.txt"), .text("Done.")])
        #expect(run.result.succeeded == true)
        #expect(run.files["hello.txt"] == "hi")
        #expect(run.requests.count == 3)
    }

    @Test(arguments: CLI.allCases)
    func `an answer that is cut in the middle is asked for again, and counted`(_ cli: CLI) async throws {
        let run = try await drive(cli, [.cut, .shell("printf hi > hello.txt"), .text("Done.")])
        #expect(run.result.succeeded == true)
        #expect(run.files["hello.txt"] == "hi")
        #expect(run.status.cutAnswers >= 1)
    }

    @Test(arguments: CLI.allCases)
    func `a budget ends the run with an error that the CLI shows`(_ cli: CLI) async throws {
        let steps = (0..<20).map { ModelServer.Step.shell("echo \($0) >> count.txt") }
        let run = try await drive(cli, steps, budget: 1)
        #expect(run.result.succeeded == false)
        #expect(run.result.message?.contains("the budget of this session is used up") == true)
        #expect(run.requests.count == 1)
        #expect(run.status.refusedByBudget >= 1)
    }

    struct Run {
        var result: AgentResult
        var events: [AgentEvent]
        var files: [String: String]
        var requests: [String]
        var status: EgressStatus
    }

    private let token = "so-session-token-0123456789"
    private let realKey = "sk-real-credential-9876543210"

    /// One headless run in a repository of its own.
    private func drive(_ cli: CLI, _ script: [ModelServer.Step], budget: Int? = nil) async throws -> Run {
        let agent = try AgentDeclaration.load(cli.rawValue, from: [AgentDeclarationTests.directory])
        return try await withModelServer(script) { model in
            try await withTemporaryDirectory { directory in
                let (home, tree) = (directory + "/home", directory + "/tree")
                try FileManager.default.createDirectory(atPath: tree, withIntermediateDirectories: true)
                var egress = SessionEgress(
                    session: "s-test", address: "127.0.0.1", policy: EgressPolicy(), token: token)
                egress.policy.budget = budget
                for provider in agent.providers { egress.policy.upstreams[provider.name] = model.url }
                let credentials = agent.authentication.prefix(1).map {
                    Credential(
                        provider: $0.provider, source: .environment(variable: $0.variable),
                        headers: $0.headers.mapValues { $0.replacing("${CREDENTIAL}", with: realKey) })
                }
                let configuration = egress.configuration(agent, Array(credentials))
                return try await withEgressProgram(configuration, directory: directory) { url in
                    let values = AgentPlaceholders(egress: url, token: token, workTree: tree, home: home)
                    let setting = agent.setting(values)
                    for (path, bytes) in setting.files { try writeFile(bytes, to: path) }
                    var environment = Dictionary(uniqueKeysWithValues: setting.environment.map { ($0.key, $0.value) })
                    environment.merge(["HOME": home, "PATH": "/usr/bin:/bin", "NO_PROXY": "127.0.0.1"]) { $1 }
                    _ = try await run("git", ["init", "-q", tree], environment: Podman.environment)
                    let line = agent.headlessCommand(
                        prompt: "Create hello.txt", arguments: cli == .codex ? ["-m", "test-model"] : [],
                        session: "s-test")
                    let finished = try await run(
                        cli.program, Array(line.dropFirst()), environment: environment, directory: tree)
                    var output = AgentOutput(agent.output)
                    let events = finished.output.split(separator: "\n").flatMap { output.read(String($0)) }
                    return Run(
                        result: output.result(exitCode: Int(finished.status)), events: events, files: try files(tree),
                        requests: try model.requests(), status: try await egressStatus(directory))
                }
            }
        }
    }

    private func writeFile(_ bytes: [UInt8], to path: String) throws {
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(atPath: "/" + parent, withIntermediateDirectories: true)
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func files(_ tree: String) throws -> [String: String] {
        var result: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: tree) where !name.hasPrefix(".") {
            result[name] = try? TestSupport.read(tree + "/" + name)
        }
        return result
    }
}

/// Runs the body with the egress program on ports of loopback.
func withEgressProgram<Result: Sendable>(
    _ configuration: EgressConfiguration, directory: String, isolation: isolated (any Actor)? = #isolation,
    _ body: (String) async throws -> Result
) async throws -> Result {
    var configuration = configuration
    configuration.stateDirectory = directory + "/state"
    configuration.ports.provider = try freePort()
    configuration.ports.proxy = try freePort()
    configuration.ports.canary = try freePort()
    (configuration.ports.dns, configuration.ports.http, configuration.ports.tls) = (nil, nil, nil)
    try FileManager.default.createDirectory(atPath: configuration.stateDirectory, withIntermediateDirectories: true)
    let file = directory + "/egress.json"
    try JSONEncoder().encode(configuration).write(to: URL(filePath: file))
    var result: Result?
    let finished = try await run(AgentCLIs.egress, ["run", file], environment: [:]) { running in
        defer { running.killNow() }
        try await eventually("the egress is up") {
            let check = try await run(AgentCLIs.egress, ["check", file], environment: [:])
            return check.succeeded || !running.isAlive
        }
        guard running.isAlive else { return }
        result = try await body("http://127.0.0.1:\(configuration.ports.provider ?? 0)")
    }
    guard let result else { throw EgressFailed(description: "\(finished)") }
    return result
}

func egressStatus(_ directory: String) async throws -> EgressStatus {
    let finished = try await run(AgentCLIs.egress, ["status", directory + "/egress.json"], environment: [:])
    return try JSONDecoder().decode(EgressStatus.self, from: Data(finished.output.utf8))
}

struct EgressFailed: Error, CustomStringConvertible { let description: String }
