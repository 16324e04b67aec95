import ArgumentParser
import Workspaces

/// `so session cleanup`.
struct SessionCleanup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleanup",
        abstract: "Remove what sessions left: pods that no session owns, and what is older than 30 days.",
        discussion: """
            Looks on this host, and by labels on podman and on every cluster that sessions of this user ran in. Work is never removed before it was
            collected: volumes that may hold some are named, and asked for at a terminal. --dry-run lists what would go.
            """,
        aliases: ["prune"])

    @Flag(
        inversion: .prefixedNo, help: "Delete volumes too whose work was not collected, or leave them, without asking.")
    var deleteUncollected: Bool?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let service = try Host.sessions()
        let result = try await DeletionQuestion.clean(deleteUncollected, global, kept: \.kept) { deletes in
            try await clean(service, deletes)
        }
        if !global.quiet, result.kept.isEmpty, result.sessions.isEmpty, result.forgotten.isEmpty {
            Terminal.note("nothing to remove")
        }
    }

    private func clean(_ service: SessionService, _ deletes: Bool) async throws -> SessionService.Cleanup {
        let result = try await service.cleanup(
            dryRun: global.dryRun, deletesUncollected: deletes, events: SessionProgress(global).handle,
            failed: Host.notFinished)
        for id in result.sessions { Terminal.output("\(id)\n") }
        for id in result.forgotten { Terminal.output("\(id) (record)\n") }
        for name in result.kept {
            Terminal.note("\(name) stays: its work may not have been collected\nhint: --delete-uncollected deletes it")
        }
        for (runtime, error) in result.unanswered {
            let place = runtime.kubeconfig.map { " (\($0))" } ?? ""
            Terminal.note("warning: \(runtime.name)\(place) cannot list what is left there: \(error)")
        }
        return result
    }
}

/// Asks before volumes go that may hold work.
enum DeletionQuestion {
    /// Cleans up, and once more with the volumes where no flag decides over them and somebody at the terminal wants them gone.
    static func clean<Report>(
        _ deletes: Bool?, _ global: GlobalOptions, kept: (Report) -> [String],
        _ body: (_ deletes: Bool) async throws -> Report
    ) async throws -> Report {
        let report = try await body(deletes ?? false)
        guard deletes == nil, !global.dryRun, !kept(report).isEmpty, try await asks(kept(report)) else { return report }
        return try await body(true)
    }

    /// Whether somebody at the terminal wants them gone.
    private static func asks(_ kept: [String]) async throws -> Bool {
        guard Terminal.isInteractive else { return false }
        Terminal.error(
            "delete \(kept.count == 1 ? "it, and what is in it" : "these \(kept.count), and what is in them")? [y/N] ")
        return ["y", "yes"].contains((try await TerminalLine.read() ?? "").lowercased())
    }
}
