import ArgumentParser

/// The `so` command.
@main
struct So: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "so", abstract: "Run stacks as pods.")
}
