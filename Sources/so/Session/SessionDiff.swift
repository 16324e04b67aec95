import ArgumentParser
import Workspaces
import YAML

/// `so session diff`.
struct SessionDiff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Show what the session has changed since it began, committed or not.")

    @OptionGroup var choice: SessionChoice

    @Flag(help: "Show only the files, with the number of changed lines in each.")
    var stat = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        let text = try await service.diff(record, stat: stat)
        guard !text.isEmpty else { return }
        Terminal.output(printable(text) + (text.hasSuffix("\n") ? "" : "\n"))
    }
}
