import ArgumentParser
import Orchestrator
import YAML

/// `so orchestrator logs`.
struct OrchestratorLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print what the agent of a task wrote.")

    @Flag(name: .shortAndLong, help: "Go on until the task waits for people, or until interrupted.")
    var follow = false

    @OptionGroup var chosen: TaskArgument

    func run() async throws {
        let client = try chosen.server.client()
        if follow {
            Interrupts.beginFollowing()
            return try await client.follow(chosen.task) { Terminal.output(printable($0)) }
        }
        var last: Int64 = 0
        while true {
            let pieces = try await client.output(of: chosen.task, after: last)
            for piece in pieces { Terminal.output(printable(piece.text)) }
            guard let end = pieces.last?.id else { return }
            last = end
        }
    }
}
