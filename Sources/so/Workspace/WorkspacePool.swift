import ArgumentParser
import Workspaces

/// `so workspace pool`.
struct WorkspacePool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pool", abstract: "Keep pods of the project ready, so that sessions begin at once.",
        discussion: """
            A session takes a pod of the pool where one fits its definition, agent and credentials; run it again to fill the pool up, after a \
            change too. --size 0 empties it.
            """)

    @Option(help: ArgumentHelp("The number of pods to keep ready.", valueName: "number"))
    var size: Int

    @Option(help: ArgumentHelp("The coding CLI (default: that of workspace.yml).", valueName: "agent"))
    var agent: String?

    @OptionGroup var runtime: RuntimeOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (0...64).contains(size) else { throw ValidationError("invalid number `\(size)`: --size takes 0 to 64") }
    }

    func run() async throws {
        let project = try place.project
        if global.dryRun { return Terminal.output("keep \(size) pods of \(project.path) ready\n") }
        let report = try await Host.payingSessions().fillPool(
            project.path, size: size, agent: agent, on: try runtime.runtime, events: SessionProgress(global).handle)
        for id in report.ready { Terminal.output("\(id)\n") }
        if !global.quiet { Terminal.note("\(report.made) made, \(report.removed) removed") }
    }
}
