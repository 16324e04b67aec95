import ArgumentParser
import Workspaces

/// `so workspace template copy`.
struct TemplateCopy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy a template into the project (.so/templates), or into your own with --user."
    )

    @Argument(help: "The template's name, or a directory.")
    var template: String

    @Argument(help: "The copy's name (default: the template's).")
    var name: String?

    @Flag(help: "Copy it into your own templates, for all projects.")
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
