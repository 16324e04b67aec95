import ArgumentParser

/// `so orchestrator …`: from a labelled issue to a pull request.
struct OrchestratorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orchestrator",
        abstract: "Turn labelled issues into pull requests, by agents in workspaces.",
        discussion: """
            A server takes the forge's webhooks, runs an agent for each labelled issue, reports on the issue and opens the pull request. \
            docs/orchestrator.md begins with a configuration of ten lines; `so schema orchestrator` lists all keys.
            """,
        subcommands: [
            OrchestratorServe.self, OrchestratorCheck.self, OrchestratorUnit.self, OrchestratorTasks.self,
            OrchestratorTask.self, OrchestratorLogs.self, OrchestratorRetry.self, OrchestratorCancel.self,
        ])
}
