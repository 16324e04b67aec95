import ArgumentParser
import Workspaces
import YAML

/// `so session url`.
struct SessionURL: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "url", abstract: "Print where the session's ports answer on this host.")

    @OptionGroup var choice: SessionChoice
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        let urls = service.urls(record)
        guard !urls.isEmpty || record.place.publishesPorts else {
            throw WorkspaceError(
                .missing, "ports of \(record.place.name) do not answer on this host",
                hint: "while you need one: so session forward \(record.id) 3000")
        }
        guard !urls.isEmpty else {
            throw WorkspaceError(
                .missing, "session \(record.id) has no ports", hint: "name them in workspace.yml: ports: [3000]")
        }
        Table(
            columns: ["port", "host-port", "url"],
            rows: urls.map { [.plain("\($0.port)"), .plain("\($0.hostPort)"), .string($0.url)] }
        ).print(output.format)
    }
}
