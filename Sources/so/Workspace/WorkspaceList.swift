import ArgumentParser
import Workspaces
import YAML

/// `so workspace ls`.
struct WorkspaceList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the workspaces of all projects.", aliases: ["list"])

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let workspaces = try await Host.lasting().list()
        if global.quiet { return workspaces.forEach { Terminal.output("\($0.record.name)\n") } }
        Table(
            columns: ["workspace", "project", "agent", "state", "in-use"],
            rows: workspaces.map { status in
                [
                    .string(status.record.name), .string(status.record.project), .string(status.record.agent),
                    .string(status.condition.rawValue), .plain("\(status.isInUse)"),
                ]
            }
        ).print(output.format)
    }
}
