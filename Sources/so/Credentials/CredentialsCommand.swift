import ArgumentParser

/// `so credentials …`: what the orchestrator's agents pay their providers with.
struct CredentialsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials", abstract: "Manage the orchestrator's credentials.",
        discussion: """
            They are kept in the backend that the configuration names: an encrypted file, Vault or OpenBao, or a Kubernetes Secret. A value \
            can be set and removed, never read back.
            """,
        subcommands: [CredentialsSet.self, CredentialsList.self, CredentialsUnset.self, CredentialsRotate.self])
}
