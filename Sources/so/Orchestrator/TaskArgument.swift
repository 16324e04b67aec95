import ArgumentParser
import Orchestrator

/// What commands about one task of the orchestrator share.
struct TaskArgument: ParsableArguments {
    @Argument(help: "The task's number.")
    var task: Int64

    @OptionGroup var server: ServerOption
    @OptionGroup var global: GlobalOptions

    /// Changes the task at the server, and says how it is then.
    func change(_ verb: String, _ body: (OrchestratorClient, Int64) async throws -> TaskView) async throws {
        let client = try server.client()
        if global.dryRun { return Terminal.output("\(verb) task \(task)\n") }
        let changed = try await body(client, task)
        if !global.quiet { Terminal.note("task \(changed.id) is \(changed.state.rawValue)") }
    }
}
