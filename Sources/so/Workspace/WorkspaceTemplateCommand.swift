import ArgumentParser
import Workspaces

/// `so workspace template`.
struct WorkspaceTemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "Manage templates: the recipes of images, a folder each with template.yml and Containerfile.",
        subcommands: [TemplateList.self, TemplateShow.self, TemplateRender.self, TemplateCopy.self])
}
