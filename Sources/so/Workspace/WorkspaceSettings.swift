import ArgumentParser
import Workspaces
import YAML

/// `so settings`.
struct SettingsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "What you have settled for all workspaces of yours.",
        discussion: """
            Keys are dotted: base-image, registry-mirror, language-images.python, agent-images.claude-code, database-images.redis, \
            variables.GIT_NAME, workspace.agent, workspace.resources.cpus and so on.
            """,
        subcommands: [SettingsList.self, SettingsGet.self, SettingsSet.self, SettingsUnset.self])
}

/// `so settings list`.
struct SettingsList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List every setting.", aliases: ["ls"])

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let store = try Host.workspaces().settingsStore
        Table(
            columns: ["key", "value"], rows: try store.load().list.map { [.string($0.path), $0.value] }
        ).print(output.format)
    }
}

/// `so settings get`.
struct SettingsGet: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "get", abstract: "Print one setting.")

    @Argument(help: "The setting's dotted key.")
    var key: String

    @OptionGroup var global: GlobalOptions

    func run() throws {
        guard let value = try Host.workspaces().settingsStore.load().value(at: key) else {
            throw WorkspaceError(.missing, "\(key) is not set", hint: "see what is: so settings list")
        }
        Terminal.output(value.text.map { $0 + "\n" } ?? value.yaml())
    }
}

/// `so settings set`.
struct SettingsSet: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set one setting.",
        discussion: "The value is YAML: 4, \"3.12\", [git, jq]. Secrets have no place here: see so auth.")

    @Argument(help: "The setting's dotted key.")
    var key: String

    @Argument(help: "Its value.")
    var value: String

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let store = try Host.workspaces().settingsStore
        if global.dryRun { return Terminal.note("would write \(store.file)") }
        try store.set(key, to: value)
    }
}

/// `so settings unset`.
struct SettingsUnset: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "unset", abstract: "Remove one setting.")

    @Argument(help: "The setting's dotted key.")
    var key: String

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let store = try Host.workspaces().settingsStore
        if global.dryRun { return Terminal.note("would write \(store.file)") }
        try store.unset(key)
    }
}
