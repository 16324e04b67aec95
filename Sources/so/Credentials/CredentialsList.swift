import ArgumentParser
import Orchestrator
import YAML

/// `so credentials list`.
struct CredentialsList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the names of credentials.", aliases: ["ls"])

    @OptionGroup var server: ServerOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let names = try await server.client().credentials()
        Table(columns: ["name"], rows: names.map { [.string($0)] }).print(output.format)
    }
}
