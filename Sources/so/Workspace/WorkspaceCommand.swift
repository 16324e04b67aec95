import ArgumentParser

/// `so workspace`.
struct WorkspaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workspace",
        abstract: "The lasting environment of a project and its agents: define it, build it, work in it.",
        discussion: """
            `so workspace` alone does what is missing: it asks for workspace.yml, builds the image, starts the pod, and opens a shell in the \
            project's folder. What runs there is trusted with the project; for agents that are not, there is `so session`.
            """,
        subcommands: [
            WorkspaceShell.self, WorkspaceInit.self, WorkspaceEdit.self, WorkspaceDetect.self, WorkspaceConfig.self,
            WorkspaceUp.self, WorkspaceExec.self, WorkspaceStatusCommand.self, WorkspaceList.self, WorkspaceStop.self,
            WorkspaceReprovision.self, WorkspacePool.self, WorkspaceDestroy.self, WorkspaceCleanup.self,
            WorkspaceTemplateCommand.self, WorkspaceImageCommand.self,
        ], defaultSubcommand: WorkspaceShell.self)
}
