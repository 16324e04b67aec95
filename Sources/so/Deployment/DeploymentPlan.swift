import ArgumentParser
import Deployments
import YAML

/// `so deployment plan`.
struct DeploymentPlan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Print what a start would do, and do nothing.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let plan = try await OpenDeployment(directory, global: global, warns: true).handle.plan()
        if plan.isEmpty, output.format == .table { return Terminal.note("nothing to change") }
        let items = plan.items.filter { output.format != .table || $0.action != .keep }
        Table(
            columns: ["action", "kind", "name", "reason"],
            rows: items.map { item in
                [
                    .string(item.action.rawValue), .string(item.kind), .string(item.name),
                    item.reason.map { .string($0) } ?? .plain("null"),
                ]
            }
        ).print(output.format)
    }
}
