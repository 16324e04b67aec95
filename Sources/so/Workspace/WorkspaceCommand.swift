import ArgumentParser

/// `so workspace`.
struct WorkspaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workspace",
        abstract: "Define the environment of a project and its agents, and build its image.",
        subcommands: [
            WorkspaceInit.self, WorkspaceEdit.self, WorkspaceDetect.self, WorkspaceConfig.self,
            WorkspaceTemplateCommand.self, WorkspaceImageCommand.self,
        ])
}
