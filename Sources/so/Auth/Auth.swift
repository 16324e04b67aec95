import ArgumentParser

/// `so auth …`: who pays the providers of models.
struct Auth: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "auth",
        abstract: "Manage the credentials of coding agents' providers.",
        discussion: """
            A session looks in the environment first (ANTHROPIC_API_KEY, CLAUDE_CODE_OAUTH_TOKEN, OPENAI_API_KEY, …), then among what \
            `so auth login` stored. The agent never sees a credential: it goes to the session's egress pod alone.
            """,
        subcommands: [AuthLogin.self, AuthStatus.self, AuthLogout.self], defaultSubcommand: AuthStatus.self)
}
