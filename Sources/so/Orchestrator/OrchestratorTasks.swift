import ArgumentParser
import Orchestrator
import YAML

/// `so orchestrator tasks`.
struct OrchestratorTasks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "tasks", abstract: "List tasks, the newest first.")

    @Option(help: ArgumentHelp("Only tasks in this state, such as working or review.", valueName: "state"))
    var state: TaskState?

    @Option(help: ArgumentHelp("Only tasks of this repository.", valueName: "owner/name"))
    var repository: String?

    @Option(help: "The largest number of tasks to list.")
    var limit = 50

    @OptionGroup var server: ServerOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let tasks = try await server.client().tasks(state: state?.rawValue, repository: repository, limit: limit)
        let rows = tasks.map { task -> [Node] in
            [
                .plain("\(task.id)"), .string("\(task.repository)#\(task.issue)"), .string(task.state.rawValue),
                .string(task.agent), .string(task.pullRequest.map { "#\($0)" } ?? ""), .string(task.title),
            ]
        }
        Table(columns: ["id", "issue", "state", "agent", "pull-request", "title"], rows: rows).print(output.format)
    }
}

extension TaskState: ExpressibleByArgument {}
