import ArgumentParser
import Workspaces

/// `so workspace destroy`.
struct WorkspaceDestroy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "destroy", abstract: "Remove the project's workspace with its home; the project stays.",
        discussion: "Whether workspace.yml goes too is asked at the terminal; without one it stays.")

    @Flag(
        inversion: .prefixedNo,
        help: "Remove workspace.yml too, or leave it, without asking.")
    var definition: Bool?

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        if global.dryRun { return Terminal.output("remove the workspace of \(project.path)\n") }
        let file = DefinitionFile(project)
        let removesFile = file.exists ? try await removes(project) : false
        try await Host.lasting().destroy(project)
        if removesFile { try file.remove() }
        if !global.quiet {
            Terminal.note(
                "the workspace of \(project.path) is removed" + (removesFile ? ", and its workspace.yml" : ""))
        }
    }

    private func removes(_ project: Project) async throws -> Bool {
        if let definition { return definition }
        guard Terminal.isInteractive else { return false }
        Terminal.error("remove \(project.definitionFile) too? [y/N] ")
        return ["y", "yes"].contains((try await TerminalLine.read() ?? "").lowercased())
    }
}
