import ArgumentParser
import Orchestrator

/// `so orchestrator serve`.
struct OrchestratorServe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run the server until it is interrupted; running agents continue.")

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let configuration = try config.load()
        if global.dryRun {
            return Terminal.output("serve \(configuration.url) for \(configuration.projects.count) projects\n")
        }
        let replica = try await Host.replica(configuration)
        Interrupts.beginFollowing()
        let quiet = global.quiet
        try await replica.service.run { port in
            if !quiet { Self.welcome(configuration, port: port, token: replica.newToken) }
        }
    }

    /// What somebody who starts it for the first time has to know.
    private static func welcome(_ configuration: Configuration, port: Int, token: String?) {
        let forge = configuration.forge
        Terminal.note("listening on \(configuration.listen.host):\(port); pages at \(configuration.url)")
        Terminal.note(
            "webhook of the forge: \(configuration.url)/webhooks/\(forge.kind.rawValue), content type application/json")
        Terminal.note(
            "its secret: the text of \(forge.webhookSecretFile); events: issues, comments, pull requests, reviews, checks, statuses"
        )
        if token != nil {
            Terminal.note(
                "sign in with the token in \(configuration.stateDirectory)/administrator.token, which was made now")
        }
    }
}
