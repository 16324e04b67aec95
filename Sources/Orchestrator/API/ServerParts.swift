/// What the routes stand on.
package struct ServerParts: Sendable {
    package var configuration: Configuration
    package var store: SQLStore
    package var forge: any Forge
    package var credentials: any CredentialBackend
    package var runner: any AgentRunner
    package var metrics = Metrics()
    /// This host: diffs of sessions elsewhere are not here.
    package var host: String
    package var log: @Sendable (String) -> Void

    package init(
        configuration: Configuration, store: SQLStore, forge: any Forge, credentials: any CredentialBackend,
        runner: any AgentRunner, host: String, log: @escaping @Sendable (String) -> Void
    ) {
        self.configuration = configuration
        self.store = store
        self.forge = forge
        self.credentials = credentials
        self.runner = runner
        self.host = host
        self.log = log
    }
}
