import ArgumentParser
import Workspaces

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
