import ArgumentParser
import Workspaces
import YAML

/// `so workspace config`.
struct WorkspaceConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Print the project's definition with all its layers.",
        discussion: "The layers, the weakest first: template, devcontainer.json, workspace.yml, user settings, flags.")

    @Flag(help: "Show for each value which layer decided it, and where.")
    var explain = false

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let loaded = try Host.workspaces().load(try place.project, flags: definition.flags)
        Diagnoses.print(loaded.warnings)
        guard explain else { return Terminal.output(text(loaded.definition.node)) }
        Table(
            columns: ["key", "value", "layer", "place"],
            rows: loaded.definition.explanation.map { line in
                [.string(line.path), .string(line.value), .string(line.layer), .string(line.place)]
            }
        ).print(output.format)
    }

    private func text(_ node: Node) -> String {
        output.format == .json ? node.json(pretty: true) + "\n" : node.yaml()
    }
}
