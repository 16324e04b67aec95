import ArgumentParser
import Orchestrator

/// `so orchestrator cancel`.
struct OrchestratorCancel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "End a task; its agent is stopped, its work is kept.")

    @OptionGroup var chosen: TaskArgument

    func run() async throws { try await chosen.change("cancel") { try await $0.cancel($1) } }
}
