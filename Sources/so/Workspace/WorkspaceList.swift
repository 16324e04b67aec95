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
        let service = try Host.lasting()
        async let left = service.orphans()
        let workspaces = try await service.list()
        let orphans = try await left
        let lost = orphans.found.filter { !$0.hasRecord }
        if global.quiet {
            return (workspaces.map(\.record.name) + lost.map(\.name)).forEach { Terminal.output("\($0)\n") }
        }
        Table(
            columns: ["workspace", "project", "agent", "state", "in-use"],
            rows: workspaces.map { row($0) } + lost.map { row($0) }
        ).print(output.format)
        orphans.found.forEach(tell)
        if let error = orphans.unanswered, !workspaces.isEmpty {
            Terminal.note("warning: podman does not say what else is left there: \(error)")
        }
    }

    private func row(_ status: LastingStatus) -> [Node] {
        [
            .string(status.record.name), .string(status.record.project), .string(status.record.agent),
            .string(status.condition.rawValue), .plain("\(status.isInUse)"),
        ]
    }

    private func row(_ orphan: OrphanedWorkspace) -> [Node] {
        let unknown = Node.plain("null")
        return [.string(orphan.name), unknown, unknown, .string("orphaned"), .plain("\(orphan.isInUse)")]
    }

    private func tell(_ orphan: OrphanedWorkspace) {
        let owner = orphan.owner.map { " (\($0))" } ?? ""
        let volumes = orphan.volumes.isEmpty ? "no volumes" : orphan.volumes.joined(separator: ", ")
        let what = orphan.hasRecord ? "has no project any more" : "has no record"
        Terminal.note(
            "\(orphan.name) \(what)\(owner); it has left \(volumes)\nhint: so workspace cleanup removes it, with --delete-volumes its volumes too"
                + (orphan.hasRecord ? "" : "; so workspace in its project takes it up again"))
    }
}
