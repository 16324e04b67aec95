import ArgumentParser
import Workspaces

/// `so auth logout`.
struct AuthLogout: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Remove the stored credentials of a provider; the environment's stay.")

    @Argument(help: "The provider, such as anthropic or openai.")
    var provider: String

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try Host.workspaces()
        let (lookup, agents) = (context.credentials, try context.agents())
        _ = try lookup.variable(provider, nil, of: agents)
        for status in try lookup.status(of: agents) where status.provider == provider {
            if global.dryRun { Terminal.output("remove \(lookup.store.path(status.variable))\n") }
            guard !global.dryRun, try lookup.store.remove(status.variable) else { continue }
            if !global.quiet { Terminal.note("removed \(lookup.store.path(status.variable))") }
        }
    }
}
