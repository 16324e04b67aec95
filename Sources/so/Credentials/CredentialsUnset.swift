import ArgumentParser
import Orchestrator

/// `so credentials unset`.
struct CredentialsUnset: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unset", abstract: "Remove a credential.")

    @Argument(help: "Its name, such as ANTHROPIC_API_KEY.")
    var name: String

    @OptionGroup var server: ServerOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let client = try server.client()
        if global.dryRun { return Terminal.output("remove \(name)\n") }
        try await client.unset(credential: name)
        if !global.quiet { Terminal.note("removed \(name)") }
    }
}
