import ArgumentParser
import Deployments
import Workspaces
import YAML

/// `so workspace image`.
struct WorkspaceImageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image", abstract: "The images of workspaces on this host.",
        subcommands: [ImageList.self, ImageBuildCommand.self, ImageVerify.self, ImagePrune.self])
}

/// `so workspace image ls`.
struct ImageList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the images of workspaces.", aliases: ["list"])

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let images = try await Host.workspaces().images(try ImageEngine.find()).list()
        Table(
            columns: ["image", "source", "languages", "agent", "megabytes", "created"],
            rows: images.map { image in
                [
                    .string(image.tag), .string(image.source), .string(image.languages), .string(image.agent),
                    .plain("\(image.size / 1_000_000)"), .string(image.created),
                ]
            }
        ).print(output.format)
    }
}

/// `so workspace image build`.
struct ImageBuildCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build", abstract: "Build the project's image, where this host does not have it.",
        discussion: "Its tag is the digest of all that goes in: the same inputs are never built twice.")

    @Flag(help: "Build it anew, with the newest base image and packages.")
    var update = false

    @Flag(help: "Print the Containerfile and the tag, and build nothing.")
    var show = false

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let recipe = try Host.workspaces().recipe(try place.project, flags: definition.flags)
        if show || global.dryRun { return Terminal.output("# \(recipe.tag)\n\(recipe.containerfile)") }
        try await Host.build(recipe, update: update, global: global)
        Terminal.output(recipe.tag + "\n")
    }
}

extension Host {
    /// Builds an image with its progress on the terminal.
    static func build(_ recipe: ImageRecipe, update: Bool = false, global: GlobalOptions) async throws {
        let images = try workspaces().images(try ImageEngine.find())
        let states = BuildStates()
        try await images.build(recipe, updates: update) { states.take($0, global) }
    }
}

/// `so workspace image verify`.
struct ImageVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Run what shows that the project's image has what was asked for.")

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let recipe = try Host.workspaces().recipe(try place.project, flags: definition.flags)
        let images = try Host.workspaces().images(try ImageEngine.find())
        guard try await images.has(recipe) else {
            throw WorkspaceError(.missing, "\(recipe.tag) is not built", hint: "build it: so workspace image build")
        }
        let results = try await images.verify(recipe)
        Table(
            columns: ["check", "sound", "output"],
            rows: results.map { result in
                let line = result.output.split(separator: "\n").first.map(String.init) ?? ""
                return [.string(result.check), .plain("\(result.isSound)"), .string(line)]
            }
        ).print(output.format)
        let failed = results.filter { !$0.isSound }.map(\.check)
        guard failed.isEmpty else {
            throw WorkspaceError(
                .failed, "\(recipe.tag) fails: \(failed.joined(separator: ", "))",
                hint: "build it anew: so workspace image build --update")
        }
    }
}

/// `so workspace image prune`.
struct ImagePrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove the images that no workspace and no session uses.")

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try Host.workspaces()
        let images = context.images(try ImageEngine.find())
        let gone = try await images.prune(keeping: try context.imagesInUse(), isTrial: global.dryRun)
        for tag in gone { Terminal.output(tag + "\n") }
    }
}
