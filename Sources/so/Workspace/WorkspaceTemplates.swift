import ArgumentParser
import Deployments
import OrderedCollections
import Workspaces
import YAML

/// `so workspace template`.
struct WorkspaceTemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template", abstract: "The recipes of images: a folder each, with template.yml and Containerfile.",
        subcommands: [TemplateList.self, TemplateShow.self, TemplateRender.self, TemplateCopy.self])
}

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

/// `so workspace template copy`.
struct TemplateCopy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Take a template into the project (.so/templates), or into your own with --user."
    )

    @Argument(help: "The template's name, or a directory.")
    var template: String

    @Argument(help: "The copy's name (default: the template's).")
    var name: String?

    @Flag(help: "Into your own templates, for all projects.")
    var user = false

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() throws {
        let project = try place.project
        let store = try Host.workspaces().templates(of: project)
        let template = try store.template(template, workingDirectory: project.path)
        let path = try store.copy(
            template, as: name ?? template.name, place: user ? .user : .project, project: project,
            isTrial: global.dryRun)
        if !global.quiet { Terminal.note(global.dryRun ? "would write \(path)" : "wrote \(path)") }
    }
}

/// Where the values of a template's variables come from.
struct TemplateValues: ParsableArguments {
    @Option(name: .customLong("set"), help: ArgumentHelp("A variable of the template.", valueName: "NAME=value"))
    var variables: [String] = []

    @Option(help: ArgumentHelp("A file with variables of the template.", valueName: "file"))
    var envFile: String?

    func load(_ name: String, project: Project) throws -> (Template, TemplateVariables) {
        let context = try Host.workspaces()
        var flags = DefinitionFlags()
        (flags.template, flags.variables, flags.variableFile) = (name, variables, envFile.map(Files.absolute))
        return try context.template(name, project: project, flags: flags)
    }
}
