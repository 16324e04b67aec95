import AgentLoop
import OrderedCollections
import TestSupport
import Testing
import YAML

/// The two files that the orchestrator and an agent speak by.
@Suite struct FileTests {
    private let tasking = """
        version: 1
        updated_at: "2026-11-23T12:00:00Z"
        workspace: shop
        tasks:
          - id: "7-1"
            title: Fix the greeting
            status: pending
            priority: 20
            branch: so/7-fix
            description: |
              It says helo.
            acceptance_criteria: [it says hello]
            context: {related_files: [src/greet.py]}
        """

    private let reporting = """
        version: 1
        agent_type: own-agent
        agent_id: a-1
        updated_at: "2026-11-23T12:00:01Z"
        status: working
        tasks:
          "7-1":
            status: working
            current_step: reads
            progress:
              - {timestamp: "2026-11-23T12:00:01Z", status: working, message: reads}
            files_modified: [{path: a.py, change_type: modified}]
            commits: [{sha: 0123456789012345678901234567890123456789, message: fix}]
        """

    @Test func `both are read, and what is written is read back`() throws {
        let one = try Tasking(Array(tasking.utf8), file: "tasking.yaml")
        #expect(one.tasks.first?.description == "It says helo.\n")
        #expect(one.tasks.first?.context?.relatedFiles == ["src/greet.py"])
        #expect(try Tasking(one.yaml(), file: "again") == one)
        let other = try Reporting(Array(reporting.utf8), file: "reporting.yaml")
        #expect(other.tasks["7-1"]?.filesModified?.first?.changeType == .modified)
        #expect(try Reporting(other.yaml(), file: "again") == other)
    }

    @Test(arguments: [
        ("status: working\ntasks", "status: busy\ntasks", 5), ("version: 1", "version: 2", 1),
        ("current_step: reads", "current_stop: reads", 9), ("change_type: modified", "change_type: eaten", 12),
        ("agent_id: a-1\n", "", 1), ("tasks:\n", "tasks: [\n", 6),
    ])
    func `what is not of the form is refused with its line`(old: String, new: String, line: Int) throws {
        let text = reporting.replacing(old, with: new)
        #expect(text != reporting)
        let error = #expect(throws: InvalidInput.self) { try Reporting(Array(text.utf8), file: "reporting.yaml") }
        let mark = error?.diagnostics.first?.mark
        #expect(mark?.file == "reporting.yaml")
        if new != "tasks: [\n" { #expect(mark?.line == line, "\(error?.description ?? "")") }
    }

    @Test func `a report that would fill the memory is refused`() {
        let many =
            "version: 1\na: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
        let bomb = many + "e: [" + String(repeating: "*c,", count: 200) + "]\n"
        #expect(throws: InvalidInput.self) { try Reporting(Array(bomb.utf8), file: "r") }
        let large = [UInt8](repeating: UInt8(ascii: "#"), count: 2 << 20)
        #expect(throws: InvalidInput.self) { try Reporting(large, file: "r") }
    }
}
