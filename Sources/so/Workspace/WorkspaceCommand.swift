import ArgumentParser

/// `so workspace`.
struct WorkspaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workspace",
        abstract: "Work in an environment of the project: defined, built and started as needed.",
        subcommands: [
            WorkspaceInit.self, WorkspaceEdit.self, WorkspaceDetect.self, WorkspaceConfig.self,
            WorkspaceTemplateCommand.self, WorkspaceImageCommand.self,
        ])
}
