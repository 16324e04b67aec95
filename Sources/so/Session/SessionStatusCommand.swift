import AgentLoop
import ArgumentParser
import Workspaces
import YAML

/// `so session status`.
struct SessionStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show a session's state: its agent, image, branch, work and problems.")

    @OptionGroup var choice: SessionChoice
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        let status = try await service.status(record)
        let fields = Self.fields(status) + (try await service.spending(record)).map { ($0.name, $0.value) }
        guard output.format == .table else {
            let node = Node.map(fields)
            return Terminal.output(output.format == .json ? node.json(pretty: true) + "\n" : node.yaml())
        }
        Table(columns: ["key", "value"], rows: fields.map { [.string($0.0), $0.1] }).print(.table)
    }

    private static func fields(_ status: SessionStatus) -> [(String, Node)] {
        let record = status.record
        func text(_ value: String?) -> Node { value.map { .string($0) } ?? .plain("null") }
        return [
            ("session", .string("\(record.id)")), ("state", .string(SessionWords.state(status))),
            ("runtime", .string(record.place.name)), ("project", .string(record.project)),
            ("agent", .string(record.agent)),
            ("branch", .string(record.id.branch)), ("base", text(record.base)),
            ("base-branch", text(record.baseBranch)),
            ("image", text(record.image)), ("on-exit", text(record.onExit?.rawValue)),
            ("exit-code", record.result.map { .plain("\($0.exitCode)") } ?? .plain("null")),
            ("message", text(record.result?.message)),
            ("notes", .list((record.collected?.notes ?? []).map { .string($0) })),
            ("problems", .list(record.problems.map { .string($0) })),
        ]
    }
}
