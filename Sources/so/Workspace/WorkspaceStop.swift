import ArgumentParser
import Workspaces

/// `so workspace stop`.
struct WorkspaceStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the project's workspace; its home and the project stay.")

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        if global.dryRun { return Terminal.output("stop the workspace of \(project.path)\n") }
        let record = try await Host.lasting().stop(project)
        if !global.quiet { Terminal.note("\(record.name) is stopped") }
    }
}
