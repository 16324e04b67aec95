import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

/// What scripts/bench-orchestrator prints of whole ways: real pods on podman, the tests' forge, an agent that writes its report itself.
@Suite(
    .pods, .debian, .agentCLIs, .serialized,
    .enabled(if: hostEnvironment["SO_BENCH"] != nil, "scripts/bench orchestrator measures it"))
struct OrchestratorBench {
    private static let agents = 5
    /// Each step names the moment at which it was written.
    private static let script = #"""
        id=$(grep -o '[0-9]*-[0-9]*-[0-9]*-[0-9]*' .so/tasking.yaml | head -n 1)
        echo first
        say() {
            printf 'version: 1\nagent_type: own\nagent_id: a\nupdated_at: "2026-11-23T12:00:00Z"\nstatus: %s\ntasks:\n  "%s": {status: %s, current_step: "at %s"}\n' \
                "$1" "$id" "$1" "$(date +%s.%N)" >.so/new
            mv .so/new .so/report.yaml
        }
        for step in 1 2 3 4 5 6; do say working; sleep 4; done
        while [ ! -e /tmp/go ]; do sleep 0.2; done
        echo made >made
        say completed
        """#

    @Test func `the first output, what a report's change takes to the page and the comment, and memory for each agent`()
        async throws
    {
        try await withOrchestrator([]) { scenario in
            try scenario.declareOwn(Self.script)
            for number in 1...(Self.agents + 1) { await scenario.open(number, "Issue \(number)", "Do.") }
            try await scenario.serving { server in
                // The image is made by the first one, and its steps are no measure.
                try await label(1, scenario)
                try await eventually(within: 600, "the first agent speaks") {
                    try await !output(of: 1, scenario).isEmpty
                }
                let before = try memory(server)
                let begin = Date()
                try await label(2, scenario)
                let id = try await task(2, scenario)
                while try await scenario.client().output(of: id, after: 0).isEmpty {
                    try await Task.sleep(for: .milliseconds(10))
                }
                row(
                    "delivery to the agent's first output, image cached", Date().timeIntervalSince(begin), "s", "<= 4 s"
                )
                try await delays(of: id, 2, scenario)
                for number in 3...(Self.agents + 1) { try await label(number, scenario) }
                for number in 3...(Self.agents + 1) {
                    try await eventually(within: 600, "all agents speak") {
                        try await !output(of: number, scenario).isEmpty
                    }
                }
                row(
                    "memory of the server for each of \(Self.agents) running agents",
                    Double(try memory(server) - before) / 1024 / Double(Self.agents), "MB", "<= 1 MB")
                for task in try await scenario.client().tasks(state: nil, repository: nil, limit: 50) {
                    try await scenario.inside(task.session, "touch", "/tmp/go")
                }
                for number in 1...(Self.agents + 1) { _ = try await scenario.eventuallyIn(.review, task: number) }
            }
            for session in scenario.sessions { await TestRuntime.removeAll(named: session) }
        }
    }

    /// The longest that three changes of a report took to where people see them.
    private func delays(of id: Int64, _ issue: Int, _ scenario: OrchestratorScenario) async throws {
        var (page, comment, last): (Double, Double, (page: String, comment: String)) = (0, 0, ("", ""))
        var (pages, comments) = (0, 0)
        let client = try scenario.client()
        while pages < 4 || comments < 4 {
            if let step = try await client.task(id).currentStep, step != last.page, let written = moment(in: step) {
                // The first one that is seen may be an old one.
                if pages > 0 { page = max(page, Date().timeIntervalSince1970 - written) }
                (last.page, pages) = (step, pages + 1)
            }
            let bodies = await scenario.forge.state.comments("acme/shop").filter { $0.issue == issue }.map(\.body)
            if let body = bodies.first(where: { $0.contains("at 1") }), body != last.comment,
                let written = moment(in: body)
            {
                if comments > 0 { comment = max(comment, Date().timeIntervalSince1970 - written) }
                (last.comment, comments) = (body, comments + 1)
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        row("a change of reporting.yaml to the page, the longest of \(pages - 1)", page, "s", "<= 0.5 s")
        row("a change of reporting.yaml to the forge's comment, the longest of \(comments - 1)", comment, "s", "<= 3 s")
    }

    private func moment(in text: String) -> Double? {
        guard let start = text.firstRange(of: "at 1") else { return nil }
        return Double("1" + text[start.upperBound...].prefix { $0.isNumber || $0 == "." })
    }

    private func label(_ number: Int, _ scenario: OrchestratorScenario) async throws {
        try await scenario.webhooks.label(number, by: "ada")
    }

    private func task(_ number: Int, _ scenario: OrchestratorScenario) async throws -> Int64 {
        let client = try scenario.client()
        var found: Int64?
        try await eventually("the task of #\(number) is there") {
            found = try await client.tasks(state: nil, repository: nil, limit: 50).first { $0.issue == number }?.id
            return found != nil
        }
        return try #require(found)
    }

    private func output(of number: Int, _ scenario: OrchestratorScenario) async throws -> [OutputPiece] {
        try await scenario.client().output(of: try await task(number, scenario), after: 0)
    }

    /// Of the server's process alone, in kilobytes.
    private func memory(_ server: Running) throws -> Int {
        let status = try read("/proc/\(server.processIdentifier)/status")
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return try #require(line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) })
    }

    private func row(_ name: String, _ value: Double, _ unit: String, _ goal: String) {
        let number = "\((value * 100).rounded() / 100) \(unit)"
        let padding = String(repeating: " ", count: max(1, 82 - name.count - number.count))
        print("orchestrator: \(name)\(padding)\(number)   \(goal)")
    }
}
