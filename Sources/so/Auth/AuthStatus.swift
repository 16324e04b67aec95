import ArgumentParser
import Orchestrator
import Workspaces
import YAML

/// `so auth status`.
struct AuthStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show which credentials there are and where they come from, never their values.")

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try await Host.workspaces().askingVault()
        let statuses = try context.credentials.status(of: try context.agents())
        Table(
            columns: ["provider", "variable", "source", "agents"],
            rows: statuses.map { status in
                [
                    .string(status.provider), .string(status.variable),
                    status.source.map { .string("\($0)") } ?? .plain("null"), .list(status.agents.map { .string($0) }),
                ]
            }
        ).print(output.format)
    }
}
