import ArgumentParser
import FoundationEssentials
import Orchestrator
import YAML

/// `so orchestrator task`.
struct OrchestratorTask: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "task", abstract: "Show a task and what happened to it.")

    @OptionGroup var chosen: TaskArgument

    func run() async throws {
        let client = try chosen.server.client()
        let task = try await client.task(chosen.task)
        var facts = [
            ("task", "\(task.id)"), ("issue", "\(task.repository)#\(task.issue)"), ("title", task.title),
            ("state", task.state.rawValue), ("agent", task.agent), ("branch", task.branch),
        ]
        if let url = task.pullRequestURL { facts.append(("pull request", url)) }
        if let failure = task.failure { facts.append(("failure", failure)) }
        facts.append(("tokens", "\(task.inputTokens) in, \(task.outputTokens) out"))
        for (name, value) in facts { Terminal.output("\(name): \(printable(value))\n") }
        for activity in try await client.activity(of: task.id) {
            Terminal.output("\(activity.at.formatted(.iso8601))  \(printable(activity.message))\n")
        }
    }
}
