import FoundationEssentials
import TestSupport
import Testing

@Suite(.pods, .debian) struct SessionTerminalTests {
    /// An agent that answers, tells its size when asked, and ends.
    private static let agent = """
        echo "ready at $(stty size)"
        while read -r line; do
          case $line in
            size) echo "size $(stty size)";;
            quit) exit 0;;
            *) echo "$line" >>said.txt; echo "heard $line";;
          esac
        done
        """

    @Test(arguments: [UInt16(60), 100, 200])
    func `an agent at a terminal has its size, and what becomes of its work is asked`(_ columns: UInt16) async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(interactive: Self.agent)
            let status = try await scenario.sandbox.soAtTerminal(
                ["session"], directory: scenario.project.directory, columns: columns
            ) { terminal in
                try await eventually("the agent is ready") { terminal.text.contains("ready at") }
                terminal.type("size\r")
                try await eventually("it has the terminal's size") { terminal.text.contains("size 30 \(columns)") }
                terminal.resize(columns: columns + 7, rows: 33)
                try await terminal.ask("size", "size 33 \(columns + 7)")
                terminal.type("hello\rquit\r")
                try await eventually("it asks") { terminal.text.contains("discard? [keep]") }
                #expect(terminal.text.contains("merge into main"))
                terminal.type("merge\r")
                try await eventually("it is merged") { terminal.text.contains("is merged into main") }
            }
            #expect(status == 0)
            #expect(try read(scenario.project.directory + "/said.txt") == "hello\n")
        }
    }

    @Test func `an agent goes on when it is left and when its terminal dies, and attach finds it`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(interactive: Self.agent)
            let directory = scenario.project.directory
            let left = try await scenario.sandbox.soAtTerminal(["session", "--on-exit", "keep"], directory: directory) {
                terminal in
                try await eventually("the agent is ready") { terminal.text.contains("ready at") }
                terminal.type("first\r")
                try await eventually("it hears") { terminal.text.contains("heard first") }
                terminal.type("\u{1D}d")
                try await eventually("it is left") { terminal.text.contains("keeps running: so session attach") }
            }
            #expect(left == 0)
            let id = try #require(scenario.sessions.first)
            #expect(try await scenario.must("session", "ls").contains("running"))
            _ = try await scenario.sandbox.soAtTerminal(["session", "attach"], directory: directory) { terminal in
                try await eventually("what was shown is shown again") { terminal.text.contains("heard first") }
                terminal.type("second\r")
                try await eventually("it hears") { terminal.text.contains("heard second") }
                terminal.hangUp()
            }
            #expect(try await scenario.must("session", "ls").contains("running"))
            let ended = try await scenario.sandbox.soAtTerminal(["session", "attach", id], directory: directory) {
                terminal in
                try await eventually("the agent is there") { terminal.text.contains("heard second") }
                terminal.type("quit\r")
                try await eventually("its work is kept") { terminal.text.contains("is on so/\(id)") }
            }
            #expect(ended == 0)
            #expect(try await scenario.project.git("show", "so/\(id):said.txt") == "first\nsecond")
        }
    }

    @Test func `an interrupt of the question decides nothing, and the work waits`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(interactive: Self.agent)
            let status = try await scenario.sandbox.soAtTerminal(["session"], directory: scenario.project.directory) {
                terminal in
                try await eventually("the agent is ready") { terminal.text.contains("ready at") }
                terminal.type("hello\rquit\r")
                try await eventually("it asks") { terminal.text.contains("discard? [keep]") }
                terminal.type("\u{03}")
                try await eventually("it is told") { terminal.text.contains("nothing is decided") }
            }
            #expect(status == 130)
            let id = try #require(scenario.sessions.first)
            _ = try await scenario.must("session", "finish", id, "--on-exit", "keep")
            #expect(try await scenario.project.git("show", "so/\(id):said.txt") == "hello")
        }
    }

    @Test func `an agent that fails at once shows why`() async throws {
        try await withWorkspaces { scenario in
            try scenario.declare(interactive: "echo no such model; exit 3")
            let status = try await scenario.sandbox.soAtTerminal(["session"], directory: scenario.project.directory) {
                terminal in
                try await eventually("its words are shown") {
                    terminal.text.contains("no such model") && terminal.text.contains("exit code 3")
                }
                terminal.type("\r")
            }
            #expect(status == 0)
        }
    }
}
