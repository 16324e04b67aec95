import ArgumentParser
import Deployments
import Workspaces
import YAML

/// `so workspace image build`.
struct ImageBuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Build the project's image, where this host does not have it.",
        discussion: "Its tag is the digest of all that goes in: the same inputs are never built twice.")

    @Flag(help: "Rebuild it, with the newest base image and packages.")
    var update = false

    @Flag(help: "Print the Containerfile and the tag, and build nothing.")
    var show = false

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let recipe = try Host.workspaces().recipe(try place.project, flags: definition.flags)
        if show || global.dryRun { return Terminal.output("# \(recipe.tag)\n\(recipe.containerfile)") }
        try await Host.build(recipe, of: try place.project, definition.flags, update: update, global: global)
        Terminal.output(recipe.tag + "\n")
    }
}

extension Host {
    /// Builds an image with its progress on the terminal.
    static func build(
        _ recipe: ImageRecipe, of project: Project, _ flags: DefinitionFlags = DefinitionFlags(), update: Bool = false,
        global: GlobalOptions
    ) async throws {
        let context = try workspaces()
        let definition = try context.load(project, flags: flags).definition
        try await context.provide(recipe, of: project, definition, updates: update, building: { _ in }) {
            $0.note(global)
        }
    }
}
