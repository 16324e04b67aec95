import ArgumentParser
import Workspaces
import YAML

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
