import ArgumentParser
import Workspaces
import YAML

/// `so workspace detect`.
struct WorkspaceDetect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "detect", abstract: "Show what the project's own files ask for, each with its line.",
        discussion: "`so workspace init` takes these as its defaults; nothing is written here.")

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let found = Detection(try place.project).proposals
        if found.isEmpty && output.format == .table {
            return Terminal.note("nothing was found" + hintLine("so workspace init asks for everything"))
        }
        Table(
            columns: ["key", "value", "says"],
            rows: found.map { [.string($0.key), .string($0.value), .string($0.mark.description)] }
        ).print(output.format)
    }
}
