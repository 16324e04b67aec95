import AgentLoop
import Egress
import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

/// Claude Code and Codex in the pods of sessions, as `so session --prompt` starts them, against a scripted provider behind the egress.
@Suite(.pods, .sessionRuntime, .debian, .agentCLIs, .serialized) struct RealAgentSessionTests {
    enum CLI: String, CaseIterable, Sendable {
        case claude = "claude-code"
        case codex

        var arguments: [String] { self == .codex ? ["-m", "test-model"] : [] }
        /// What the declarations that so comes with name.
        var upstream: String { self == .claude ? "https://api.anthropic.com" : "https://api.openai.com" }
    }

    @Test(arguments: CLI.allCases)
    func `a headless prompt edits a file, and the work comes home onto its branch`(_ cli: CLI) async throws {
        try await drive(cli, [.shell("printf hi > hello.txt; env > /tmp/env.txt"), .text("All done.")]) { run in
            #expect(run.result.succeeded == true, "\(run)")
            #expect(run.record.egress?.requests == 2 && (run.record.egress?.cost ?? 0) > 0)
            #expect(run.requests.count == 2)
            #expect(
                run.requests.allSatisfy {
                    $0.contains(DeclaredFixture.realKey) && !$0.contains(run.record.token ?? "-")
                })
            let text = try await run.fixture.source.git("show", "\(run.record.id.branch):hello.txt")
            #expect(text == "hi")
        }
    }

    @Test(arguments: CLI.allCases)
    func `a credential that the provider refuses fails the session with its words`(_ cli: CLI) async throws {
        try await drive(cli, Array(repeating: .failure(status: 401), count: 12), follows: false) { run in
            #expect(run.result.succeeded == false, "\(run)")
            #expect(run.result.message?.contains("401") == true, "\(run)")
            #expect(run.record.egress?.cost == 0)
        }
    }

    @Test(arguments: [CLI.claude])
    func `a provider that is busy is asked again`(_ cli: CLI) async throws {
        let script: [ModelServer.Step] = [
            .failure(status: 429, retryAfter: 1), .shell("printf hi > hello.txt"), .text("Done."),
        ]
        try await drive(cli, script) { run in
            #expect(run.result.succeeded == true && run.requests.count == 3, "\(run)")
            let text = try await run.fixture.source.git("show", "\(run.record.id.branch):hello.txt")
            #expect(text == "hi")
        }
    }

    @Test(arguments: CLI.allCases)
    func `a stream that is cut in the middle is asked for again, and counted`(_ cli: CLI) async throws {
        try await drive(cli, [.cut, .shell("printf hi > hello.txt"), .text("Done.")], follows: false) { run in
            #expect(run.result.succeeded == true, "\(run)")
            #expect((run.record.egress?.cutAnswers ?? 0) >= 1)
        }
    }

    @Test(arguments: CLI.allCases)
    func `a budget ends the run with words that the CLI shows, and what was done until then is kept`(_ cli: CLI)
        async throws
    {
        let steps = (0..<20).map { ModelServer.Step.shell("echo \($0) >> count.txt") }
        try await drive(cli, steps, define: "budget: {tokens: 100}") { run in
            #expect(run.result.succeeded == false, "\(run)")
            #expect(run.result.message?.contains("the budget of this session is used up") == true, "\(run)")
            #expect(run.requests.count == 1 && (run.record.egress?.refusedByBudget ?? 0) >= 1)
            let text = try await run.fixture.source.git("show", "\(run.record.id.branch):count.txt")
            #expect(text == "0")
        }
    }

    @Test func `Claude Code at a terminal asks no question before its prompt`() async throws {
        try await withDeclaredSessions([.text("Hello.")]) { fixture in
            try await prepare(.claude, fixture, "")
            let service = fixture.service
            let record = try await service.start(fixture.request)
            let seen = Gathering()
            try await eventually("its prompt is there") {
                try await service.log(record, follow: false) { await seen.add($0) }
                let text = await seen.text
                return text.contains("❯") || text.contains("> ")
            }
            let text = await seen.text
            for question in ["trust", "theme", "API key", "log in", "Login"] {
                #expect(!text.contains(question), "\(text)")
            }
            _ = try await service.finish(record)
        }
    }

    struct Run: Sendable, CustomStringConvertible {
        var fixture: DeclaredFixture
        var record: SessionRecord
        var result: AgentResult
        var requests: [String]
        var description: String { "\(result) \(record.problems) \(requests.count) requests" }
    }

    /// One headless session from its start to its end.
    private func drive(
        _ cli: CLI, _ script: [ModelServer.Step], define: String = "", follows: Bool = true,
        _ body: @Sendable (Run) async throws -> Void
    ) async throws {
        try await withDeclaredSessions(script) { fixture in
            try await prepare(cli, fixture, define)
            let service = fixture.service
            let record = try await service.start(fixture.headless("Create hello.txt", cli.arguments))
            let format = try fixture.context.agent(cli.rawValue).output
            // Who follows has the result at once; who does not has it when the session is finished.
            var last = record
            if follows {
                last = try await service.follow(record, format: format) { _ in }
            } else {
                try await fixture.ended(record)
            }
            let end = try await service.finish(last)
            #expect(end.problems == [])
            let result = try #require(end.record.result)
            try await body(
                Run(fixture: fixture, record: end.record, result: result, requests: try fixture.model.requests()))
        }
    }

    /// The agent's own declaration with the scripted provider for its upstream, its CLI from an image of the tests.
    private func prepare(_ cli: CLI, _ fixture: DeclaredFixture, _ define: String) async throws {
        let own = try read(Shared.packageRoot + "/config/agents/\(cli.rawValue).yml")
        try #require(own.contains(cli.upstream))
        try fixture.declare(
            cli.rawValue,
            own.replacing(cli.upstream, with: fixture.upstream).replacing(
                "packages: [python3-pip]", with: "packages: []"))
        let image = try await AgentCLIs.image(cli.rawValue)
        try write("agent-images: {\(cli.rawValue): \(image)}\n", to: fixture.directory + "/config/so/settings.yml")
        try fixture.define("agent: \(cli.rawValue)\n\(define)")
    }
}
