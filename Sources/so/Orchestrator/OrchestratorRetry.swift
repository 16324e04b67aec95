import ArgumentParser
import Orchestrator

/// `so orchestrator retry`.
struct OrchestratorRetry: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Restart an ended task.")

    @OptionGroup var chosen: TaskArgument

    func run() async throws { try await chosen.change("retry") { try await $0.retry($1) } }
}
