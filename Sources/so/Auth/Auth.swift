import ArgumentParser
import Workspaces

/// `so auth …`: who pays the providers of models.
struct Auth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth",
        abstract: "Keep, show or remove the credentials that coding agents' providers are paid with.",
        discussion: """
            A session looks in the environment first (ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN, OPENAI_API_KEY, …), then among what \
            `so auth login` stored. The agent never sees a credential: it goes to the session's egress pod alone.
            """,
        subcommands: [AuthLogin.self, AuthStatus.self, AuthLogout.self], defaultSubcommand: AuthStatus.self)

    /// The agents that are declared: the user's own, then those that so comes with.
    static func agents() throws -> [AgentDeclaration] {
        let directories = try agentDirectories()
        return try AgentDeclaration.names(in: directories).map { try AgentDeclaration.load($0, from: directories) }
    }

    static func agentDirectories() throws -> [String] {
        return [configurationDirectory + "/agents"] + (try Host.dataDirectory().map { ["\($0)/config/agents"] } ?? [])
    }

    static func lookup() -> CredentialLookup {
        CredentialLookup(
            environment: Host.environment, store: CredentialStore(directory: configurationDirectory + "/credentials"))
    }

    private static var configurationDirectory: String {
        let home = Host.environment["HOME"] ?? "/root"
        let base = Host.environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
        return "\(base)/so"
    }
}
