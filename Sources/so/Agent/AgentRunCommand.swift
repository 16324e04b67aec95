import AgentLoop
import ArgumentParser

/// `so agent run`.
struct AgentRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the tasks of .so/tasking.yaml with a coding CLI, and write .so/reporting.yaml.",
        discussion: """
            The configuration is a JSON file: agentType, agentID, directory (the checkout), headless (the CLI's words, with ${PROMPT} for the \
            instruction), headlessResume, output (how its output is read), session, tasking, reporting, authorName, authorEmail, timeLimit \
            (seconds), waits (whether it waits for more tasks). `so schema tasking` and `so schema reporting` show the forms of the two files.
            """)

    @Argument(help: "The configuration's file.")
    var configuration: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let loop = AgentLoop(try LoopConfiguration.read(configuration), environment: Host.environment) {
            Terminal.output($0 + "\n")
        }
        guard try await loop.run() else { throw ExitCode(1) }
    }
}
