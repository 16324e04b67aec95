import AgentLoop
import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import Workspaces

@testable import Orchestrator

/// What a repository's definition may not have, and what is read of a run.
@Suite struct SessionPartsTests {
    private func definition(_ text: String, secrets: [String: String]) async throws -> WorkspaceDefinition {
        try await withTemporaryDirectory { directory in
            let project = try await GitRepository(directory + "/shop")
            try await project.commit(["workspace.yml": text])
            let environment = [
                "HOME": directory, "PATH": "/usr/bin:/bin", "ANTHROPIC_API_KEY": "sk-of-the-server", "SO_SECRET": "x",
            ]
            var context = WorkspaceContext(environment: environment, dataDirectory: Shared.packageRoot)
                .forAgentsOfOthers
            #expect(context.environment["ANTHROPIC_API_KEY"] == nil && context.environment["HOME"] == directory)
            context.secrets = secrets
            var profile = AgentProfile(cli: "claude-code")
            profile.budget = 2
            let parts = ProfiledSessionParts(context, profile)
            var request = SessionRequest(directory: project.directory)
            request.agent = "claude-code"
            return try parts.definition(try Project(project.directory), request)
        }
    }

    @Test func `containers inside are the operator's to allow`() async throws {
        let failure = await #expect(throws: TaskFailure.self) {
            try await definition("image: x:1\ntools: [docker]\n", secrets: key)
        }
        #expect(failure?.kind == .setup && failure?.message.contains("allow-containers") == true)
    }

    private let key = ["ANTHROPIC_API_KEY": "sk-of-the-backend"]

    @Test func `a workspace.yml cannot have the orchestrator's environment or credentials passed to its agent`()
        async throws
    {
        // Secrets are not there to be named, and what is there is refused.
        for name in ["SO_SECRET", "ANTHROPIC_API_KEY"] {
            await #expect(throws: WorkspaceError.self) {
                try await definition("image: x:1\npass: [\(name)]\n", secrets: key)
            }
        }
        let failure = await #expect(throws: TaskFailure.self) {
            try await definition("image: x:1\npass: [HOME]\n", secrets: key)
        }
        #expect(failure?.kind == .setup)
        let good = try await definition("image: x:1\nbudget: {cost: 100}\n", secrets: key)
        #expect(good.budget.cost == 2)
    }

    @Test func `a credential that is missing is said with where to enter it`() async throws {
        let failure = await #expect(throws: TaskFailure.self) { try await definition("image: x:1\n", secrets: [:]) }
        #expect(failure?.kind == .credential && failure?.message.contains("ANTHROPIC_API_KEY") == true)
    }

    private func report(_ fields: String) throws -> ReportedVersion {
        let text = """
            version: 1
            agent_type: own
            agent_id: a-1
            updated_at: "2026-11-23T12:00:01Z"
            status: working
            tasks:
              7-0-0-0: {\(fields)}
            """
        return .report(try Reporting.validated(Array(text.utf8), file: "reporting.yaml"))
    }

    @Test func `report and exit code have to say the same, and a refused version leaves the one before it`() throws {
        let told = Mutex<[AgentRunEvent]>([])
        let reading = AgentReading(item: "7-0-0-0") { event in told.withLock { $0.append(event) } }
        let good = AgentResult(exitCode: 0, succeeded: true, message: "said")
        #expect(reading.outcome(good, isBudgetSpent: false).failure?.message == "the agent ended without a report")
        reading.read(try report("status: working, current_step: reads"))
        reading.read(try report("status: working, current_step: reads"))
        #expect(reading.outcome(good, isBudgetSpent: false).failure?.kind == .agent)
        reading.read(
            try report(
                "status: completed, summary: \"done ghp_0123456789abcdefghijklmnopqrstuvwxyz\", tests: [make test]"))
        for _ in 0..<2 { reading.read(.refused("reporting.yaml:1:1: no")) }
        let outcome = reading.outcome(good, isBudgetSpent: false)
        #expect(outcome.failure == nil && outcome.tests == ["make test"])
        #expect(outcome.summary?.hasPrefix("done ") == true && outcome.summary?.contains("ghp_0123") == false)
        #expect(reading.outcome(AgentResult(exitCode: 1), isBudgetSpent: false).failure?.kind == .agent)
        #expect(reading.outcome(AgentResult(exitCode: 1), isBudgetSpent: true).failure?.kind == .budget)
        reading.read(.ended(AgentEnd(succeeded: false, message: "busy", providerStatus: 529)))
        #expect(reading.outcome(AgentResult(exitCode: 1), isBudgetSpent: false).failure?.kind == .provider)
        #expect(told.withLock { $0 } == [.step("reads"), .refused("reporting.yaml:1:1: no")])
    }

    @Test func `a step that came and went between two versions is told, and each once`() throws {
        let told = Mutex<[AgentRunEvent]>([])
        let reading = AgentReading(item: "7-0-0-0") { event in told.withLock { $0.append(event) } }
        func progress(_ steps: String...) -> String {
            let entries = steps.map { "{timestamp: \"2026-11-23T12:00:00Z\", status: working, message: \($0)}" }
            return "progress: [\(entries.joined(separator: ", "))]"
        }
        reading.read(try report("status: working, current_step: reads, \(progress("looks", "reads"))"))
        reading.read(try report("status: working, current_step: reads, \(progress("looks", "reads"))"))
        reading.read(try report("status: completed, \(progress("looks", "reads", "writes", "tests"))"))
        #expect(told.withLock { $0 } == ["looks", "reads", "writes", "tests"].map { .step($0) })
    }
}
