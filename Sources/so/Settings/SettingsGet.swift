import ArgumentParser
import Workspaces
import YAML

/// `so settings get`.
struct SettingsGet: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "get", abstract: "Print one setting.")

    @Argument(help: "The setting's dotted key.")
    var key: String

    @OptionGroup var global: GlobalOptions

    func run() throws {
        guard let value = try Host.workspaces().settingsStore.load().value(at: key) else {
            throw WorkspaceError(.missing, "\(key) is not set", hint: "list them: so settings list")
        }
        Terminal.output(value.text.map { $0 + "\n" } ?? value.yaml())
    }
}
