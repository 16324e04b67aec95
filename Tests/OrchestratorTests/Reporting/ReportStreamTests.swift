import AgentLoop
import ExternalTools
import Orchestrator
import OrderedCollections
import Specs
import Synchronization
import TestSupport
import Testing
import Workspaces
import YAML

/// What an agent reports, read as what it is: somebody's text.
@Suite struct ReportStreamTests {
    private let good = """
        version: 1
        agent_type: own
        agent_id: a-1
        updated_at: "2026-11-23T12:00:01Z"
        status: working
        tasks:
          "7-1": {status: working, current_step: reads}

        """

    @Test func `a report of an agent of another kind is taken`() throws {
        let report = try Reporting.validated(Array(good.utf8), file: "reporting.yaml")
        #expect(report.tasks["7-1"]?.currentStep == "reads")
    }

    @Test func `what the loop writes is of the form`() throws {
        var report = try Reporting.validated(Array(good.utf8), file: "r")
        report.tasks["7-1"]?.status = .completed
        report.tasks["7-1"]?.summary = "done: \"quoted\"\n- and more"
        let node = try loadYAMLDocument(try report.yaml(), file: "r")
        #expect(node.mapping?["version"]?.text == "1")
        #expect(try Reporting.validated(try report.yaml(), file: "r") == report)
    }

    @Test func `every fault is told with its line, and nothing of such a report counts`() {
        let bad = """
            version: 1
            agent_type: "a b"
            agent_id: a-1
            updated_at: yesterday
            status: busy
            tasks:
              "7-1":
                status: working
                files_modified: [{path: ../../etc/passwd, change_type: added}]
                commits: [{sha: "--help", message: x}]
                stap: x
            """
        let error = #expect(throws: OrchestratorError.self) {
            try Reporting.validated(Array(bad.utf8), file: ".so/reporting.yaml")
        }
        let lines = error?.diagnostics.compactMap(\.mark?.line) ?? []
        #expect(Set(lines).isSuperset(of: [2, 4, 5, 9, 10, 11]), "\(error?.description ?? "")")
        #expect(error?.code == .invalid)
    }

    @Test func `the form is documented as it is read`() {
        for shape in [Shape.tasking, .reporting] {
            let schema = shape.document(titled: "x").json()
            #expect(schema.contains("\"version\"") && schema.contains("\"updated_at\""))
        }
    }

    /// The program beside the tests, as it stands in a pod.
    private struct Here: PodShell {
        func stream(
            _ command: [String], input: [UInt8],
            _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
        ) async throws(WorkspaceError) -> Int {
            let program = Shared.packageRoot + "/.build/debug/" + (command.first ?? "")
            do {
                return try await Command(program, Array(command.dropFirst()), host: hostEnvironment).stream(body)
            } catch {
                throw WorkspaceError(error, "the program ended")
            }
        }
    }

    private final class Seen: Sendable {
        private let versions = Mutex<[ReportedVersion]>([])
        var all: [ReportedVersion] { versions.withLock { $0 } }
        func add(_ version: ReportedVersion) { versions.withLock { $0.append(version) } }
    }

    @Test func `versions come as they are written, a bad one is refused, and the stream goes on`() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/.so/reporting.yaml"
            try write(good, to: path)
            let seen = Seen()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await ReportStream(Here(), directory: directory).follow { version in
                        seen.add(version)
                    }
                }
                try await eventually("the first version") { seen.all.count == 1 }
                try AtomicFile.write(Array("status: [\n".utf8), to: path)
                try await eventually("the refusal") { seen.all.count == 2 }
                try AtomicFile.write(Array(good.replacing("reads", with: "writes").utf8), to: path)
                try await eventually("the next version") { seen.all.count == 3 }
                group.cancelAll()
                while let result = await group.nextResult() { _ = result }
            }
            let all = seen.all
            guard case .report(let first) = all[0], case .refused(let reason) = all[1], case .report(let last) = all[2]
            else {
                Issue.record("\(all)")
                return
            }
            #expect(first.tasks["7-1"]?.currentStep == "reads" && last.tasks["7-1"]?.currentStep == "writes")
            #expect(reason.contains(".so/reporting.yaml:"))
        }
    }
}
