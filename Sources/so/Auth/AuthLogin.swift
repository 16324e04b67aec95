import ArgumentParser
import Workspaces

/// `so auth login`.
struct AuthLogin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Store a provider's credential, in a file that only you can read.",
        discussion: """
            It is read from standard input, or asked for without being shown. For a Claude subscription: `claude setup-token`, then \
            `so auth login anthropic --variable CLAUDE_CODE_OAUTH_TOKEN`.
            """)

    @Argument(help: "The provider, such as anthropic or openai.")
    var provider = "anthropic"

    @Option(help: "Which kind of credential, by the variable that agents know it by (default: the provider's API key).")
    var variable: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try Host.workspaces()
        let lookup = context.credentials
        let variable = try lookup.variable(provider, variable, of: try context.agents())
        if global.dryRun { return Terminal.output("store \(lookup.store.path(variable))\n") }
        try lookup.store.save(try await SecretInput.read(variable), variable: variable)
        if !global.quiet { Terminal.note("stored \(lookup.store.path(variable))") }
    }
}
