import ArgumentParser
import Workspaces

/// `so workspace reprovision`.
struct WorkspaceReprovision: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reprovision", abstract: "Bring the project's workspace up to date with its definition.",
        discussion: """
            The image is built where its inputs have changed, and a running pod is replaced, which closes its terminals. Where the build fails, \
            the old one runs on. A second run changes nothing.
            """)

    @Flag(help: "Rebuild the image, with the newest base image and packages.")
    var update = false

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        if global.dryRun { return Terminal.output("reprovision the workspace of \(project.path)\n") }
        let changed = try await Host.payingLasting().reprovision(
            project, updates: update, events: SessionProgress(global).handle)
        if !global.quiet { Terminal.note(changed ? "the workspace is up to date now" : "unchanged") }
    }
}
