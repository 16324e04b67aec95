import ArgumentParser

/// `so task`.
struct TaskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "Run lists of commands and prompts in a workspace or session.",
        subcommands: [TaskRunCommand.self])
}
