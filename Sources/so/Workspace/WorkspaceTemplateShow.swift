import ArgumentParser
import OrderedCollections
import Workspaces
import YAML

/// `so workspace template show`.
struct TemplateShow: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "List a template's variables, each with its value and the layer that decided it.",
        discussion: """
            The layers, the weakest first: the template's default, so settings (variables.NAME), the environment (SO_TEMPLATE_NAME), \
            --env-file, --set.
            """)

    @Argument(help: "The template's name, or a directory.")
    var template: String

    @OptionGroup var values: TemplateValues
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let (template, variables) = try values.load(template, project: try place.project)
        Table(
            columns: ["variable", "value", "layer", "help"],
            rows: template.variables.map { variable in
                let value = variables.values[variable.name]
                let layer = value?.layer.rawValue ?? (variable.isRequired ? "required" : "-")
                return [
                    .string(variable.name), .string(value?.text ?? ""), .string(layer), .string(variable.help),
                ]
            }
        ).print(output.format)
    }
}
