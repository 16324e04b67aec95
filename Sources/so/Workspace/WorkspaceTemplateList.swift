import ArgumentParser
import Workspaces
import YAML

/// `so workspace template list`.
struct TemplateList: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the templates that `template:` can name.", aliases: ["ls"])

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let templates = try Host.workspaces().templates(of: try place.project).list()
        Table(
            columns: ["name", "source", "description"],
            rows: templates.map { [.string($0.name), .string($0.place.rawValue), .string($0.summary)] }
        ).print(output.format)
    }
}
