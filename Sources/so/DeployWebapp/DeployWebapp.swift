import ArgumentParser

/// `so deploy-webapp …`: a deployment of one image.
struct DeployWebapp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy-webapp", abstract: "Create a deployment of one web app's image, with a route to it.",
        subcommands: [DeployWebappCreate.self])
}
