import ArgumentParser
import Workspaces
import YAML

/// `so workspace status`.
struct WorkspaceStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the state of the project's workspace.")

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let project = try place.project
        guard let status = try await Host.lasting().status(project) else {
            throw WorkspaceError(.missing, "\(project.path) has no workspace", hint: "so workspace makes one")
        }
        let fields = Self.fields(status)
        guard output.format == .table else {
            let node = Node.map(fields)
            return Terminal.output(output.format == .json ? node.json(pretty: true) + "\n" : node.yaml())
        }
        Table(columns: ["key", "value"], rows: fields.map { [.string($0.0), $0.1] }).print(.table)
    }

    private static func fields(_ status: LastingStatus) -> [(String, Node)] {
        let record = status.record
        return [
            ("workspace", .string(record.name)), ("state", .string(status.condition.rawValue)),
            ("project", .string(record.project)), ("agent", .string(record.agent)),
            ("image", record.image.map { .string($0) } ?? .plain("null")),
            ("user", .string("\(record.user.user):\(record.user.group)")),
            ("in-use", .plain("\(status.isInUse)")), ("keeps-running", .plain("\(record.keepsRunning)")),
            ("outdated", status.isOutdated.map { .plain("\($0)") } ?? .plain("null")),
            ("urls", .list(record.urls.map { .string("\($0.port): \($0.url)") })),
            ("trust", .string("can change all of the project, .git included")),
        ]
    }
}
