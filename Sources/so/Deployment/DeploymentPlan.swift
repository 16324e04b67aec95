import ArgumentParser
import Deployments
import Runtimes
import YAML

/// `so deployment prepare` of stack-orchestrator: what takes its place is told.
struct DeploymentPrepare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prepare", abstract: "Show what replaces stack-orchestrator's prepare.", shouldDisplay: false
    )

    @Argument(parsing: .allUnrecognized, help: .hidden)
    var rest: [String] = []

    func run() async throws {
        throw ValidationError(
            "a start prepares everything itself: `so deployment plan` shows it, `so cluster create` makes the kind cluster"
        )
    }
}

/// `so deployment plan`.
struct DeploymentPlan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Print what a start would do, and do nothing.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let progress = Progress(global: global)
        let deployment = try directory.open()
        let plan = try await Host.deployments.plan(deployment) { progress.handle($0) }
        if plan.isEmpty, output.format == .table { return Terminal.note("nothing to change") }
        if let unchecked = plan.unchecked { Terminal.note(unchecked) }
        let items = plan.items.filter { output.format != .table || $0.action != .keep }
        let isTable = output.format == .table
        Table(
            columns: ["action", "kind", "name", "reason"] + (isTable ? [] : ["changes"]),
            rows: items.map { item in
                [
                    .string(item.action.rawValue), .string(item.kind), .string(item.name),
                    item.reason.map { .string($0) } ?? .plain("null"),
                ] + (isTable ? [] : [.list(item.changes.map { .string($0) })])
            }
        ).print(output.format)
        guard isTable else { return }
        for item in items where !item.changes.isEmpty {
            Terminal.output("\n\(item.kind)/\(item.name)\n" + item.changes.map { "  \($0)\n" }.joined())
        }
    }
}
