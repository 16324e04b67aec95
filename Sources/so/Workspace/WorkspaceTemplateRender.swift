import ArgumentParser
import Workspaces
import YAML

/// `so workspace template render`.
struct TemplateRender: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Print a template's Containerfile with its variables put in.")

    @Argument(help: "The template's name, or a directory.")
    var template: String

    @OptionGroup var values: TemplateValues
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let (_, variables) = try values.load(template, project: try place.project)
        var diagnostics = Diagnostics()
        let text = variables.containerfile(diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        Terminal.output(text ?? "")
    }
}
