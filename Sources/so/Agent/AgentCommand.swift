import ArgumentParser

/// `so agent`.
struct AgentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Run a coding agent's loop: what `so-agent` does in the pods of an orchestrator.",
        subcommands: [AgentRunCommand.self])
}
