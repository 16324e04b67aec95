import ArgumentParser
import Workspaces

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
