import ArgumentParser
import Orchestrator

/// `so credentials rotate`.
struct CredentialsRotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Seal all credentials with a new key, and forget the old one.",
        discussion: "For the backend `file`; Vault and Kubernetes rotate their keys by themselves.")

    @OptionGroup var server: ServerOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let client = try server.client()
        if global.dryRun { return Terminal.output("rotate the key of the credentials\n") }
        try await client.rotateCredentials()
        if !global.quiet { Terminal.note("all credentials are sealed with a new key; back it up") }
    }
}
