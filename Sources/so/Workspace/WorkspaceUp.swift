import ArgumentParser
import Workspaces

/// `so workspace up`.
struct WorkspaceUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Start the project's workspace, and open a shell in it.")

    @Flag(name: .shortAndLong, help: "Open no shell, and keep the workspace running until so workspace stop.")
    var detach = false

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        guard detach || global.dryRun else {
            var shell = WorkspaceShell()
            (shell.place, shell.global) = (place, global)
            return try await shell.run()
        }
        guard try !WorkspaceUse.needsQuestions(project) else {
            throw WorkspaceError(
                .missing, "no \(project.definitionFile)", hint: "make it: so workspace init")
        }
        if global.dryRun { return Terminal.output("start the workspace of \(project.path)\n") }
        let record = try await Host.payingLasting().up(
            project, keepsRunning: true, events: SessionProgress(global).handle)
        Terminal.output("\(record.name)\n")
        if !global.quiet { for place in record.urls { Terminal.note("port \(place.port) answers at \(place.url)") } }
    }
}
