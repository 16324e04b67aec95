import ArgumentParser
import Runtimes
import Workspaces

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
