import ArgumentParser
import Workspaces

/// `so settings`.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Manage your own settings for all workspaces.",
        discussion: """
            Keys are dotted: base-image, registry-mirror, language-images.python, agent-images.claude-code, database-images.redis, \
            variables.GIT_NAME, workspace.agent, workspace.resources.cpus and so on.
            """,
        subcommands: [SettingsList.self, SettingsGet.self, SettingsSet.self, SettingsUnset.self])
}
