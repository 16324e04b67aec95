import AgentLoop
import ArgumentParser
import FoundationEssentials
import Workspaces
import YAML

/// `so session ls`.
struct SessionList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List sessions: those of this project, or with --all of every project.",
        aliases: ["list"])

    @Flag(name: .shortAndLong, help: "List the sessions of all projects.")
    var all = false

    @Flag(help: "List ended sessions too.")
    var closed = false

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let service = try Host.sessions()
        await Host.takeUp(service)
        let directory = try place.project.path
        let project = all ? nil : try await service.project(at: directory)
        async let left = service.orphans(everywhere: false)
        let sessions = try await service.list(project: project, includesClosed: closed)
        let orphans = try await left.found
        for status in sessions {
            if let reason = status.reason { Terminal.note("warning: session \(status.record.id): \(reason)") }
        }
        if global.quiet {
            return (sessions.map(\.record.id) + orphans.map(\.id)).forEach { Terminal.output("\($0)\n") }
        }
        Table(
            columns: ["session", "project", "agent", "state", "on-exit", "age", "branch"],
            rows: sessions.map { row($0) } + orphans.map { row($0) }
        ).print(output.format)
        for orphan in orphans {
            let owner = orphan.owner.map { " (\($0))" } ?? ""
            Terminal.note(
                "\(orphan.id) has no record\(owner); it has left \(orphan.volumes.isEmpty ? "no volumes" : orphan.volumes.joined(separator: ", "))\nhint: so session cleanup removes it, with --delete-uncollected its volumes too"
            )
        }
    }

    /// A session without a record is nobody's: every project lists it.
    private func row(_ orphan: OrphanedSession) -> [Node] {
        let unknown = Node.plain("null")
        return [
            .string("\(orphan.id)"), unknown, unknown, .string("orphaned"), unknown, unknown,
            .string(orphan.id.branch),
        ]
    }

    private func row(_ status: SessionStatus) -> [Node] {
        let record = status.record
        let isTable = output.format == .table
        let folder = record.project.split(separator: "/").last.map(String.init) ?? "/"
        return [
            .string("\(record.id)"), .string(isTable ? folder : record.project), .string(record.agent),
            .string(SessionWords.state(status)), record.onExit.map { .string($0.rawValue) } ?? .plain("null"),
            isTable
                ? .string(SessionWords.age(record.createdAt))
                : .plain("\(Int(Date().timeIntervalSince(record.createdAt)))"),
            .string(record.id.branch),
        ]
    }
}

/// A session's values as tables show them.
enum SessionWords {
    static func state(_ status: SessionStatus) -> String {
        guard status.condition == .ended, let result = status.record.result else { return status.condition.rawValue }
        return result.isFailure ? "failed" : "ended"
    }

    static func age(_ date: Date) -> String {
        let seconds = max(0, Int(Date().timeIntervalSince(date)))
        return switch seconds {
        case ..<120: "\(seconds)s"
        case ..<7200: "\(seconds / 60)m"
        case ..<172_800: "\(seconds / 3600)h"
        default: "\(seconds / 86400)d"
        }
    }
}
