import ArgumentParser

/// `so deploy …`: from a stack to a deployment directory.
struct DeployCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deploy", abstract: "Create a deployment of a stack: a spec first, then a directory.",
        discussion: "Or run a stack at once, without a spec: up, down, ps, status, port, logs and exec take --stack.",
        subcommands: [
            DeployInit.self,
            DeployCreate.self,
            DeploySetup.self,
            DeployImportLegacy.self,
            DeployUp.self,
            DeployDown.self,
            DeployPs.self,
            DeployStatus.self,
            DeployPort.self,
            DeployLogs.self,
            DeployExec.self,
        ])
}
