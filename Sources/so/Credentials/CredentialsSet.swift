import ArgumentParser
import Orchestrator

/// `so credentials set`.
struct CredentialsSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set a credential, read from standard input or asked for without being shown.")

    @Argument(help: "The variable that coding CLIs know it by, such as ANTHROPIC_API_KEY.")
    var name: String

    @OptionGroup var server: ServerOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let client = try server.client()
        if global.dryRun { return Terminal.output("set \(name)\n") }
        let value = try await SecretInput.read(name)
        guard !value.isEmpty else { throw ValidationError("the value is empty: pipe it in, or type it") }
        try await client.set(credential: name, to: value)
        if !global.quiet { Terminal.note("set \(name)") }
    }
}
