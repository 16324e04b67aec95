import ArgumentParser

/// `so deploy …`: from a stack to a deployment directory.
struct Deploy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy", abstract: "Make a deployment of a stack: a spec first, then a directory.",
        subcommands: [DeployInit.self, DeployCreate.self])
}
