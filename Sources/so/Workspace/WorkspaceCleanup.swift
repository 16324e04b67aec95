import ArgumentParser
import Workspaces

/// `so workspace cleanup`.
struct WorkspaceCleanup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleanup",
        abstract: "Remove what is left of workspaces whose record or whose project's directory is gone.",
        discussion: """
            Looks on this host, and by labels on podman. Volumes with homes and data of databases are named, and asked for at a terminal. --dry-run lists \
            what would go. A workspace whose project is still there comes back by `so workspace` in it.
            """,
        aliases: ["prune"])

    @Flag(
        inversion: .prefixedNo,
        help: "Delete the volumes too, with homes and data in them, or leave them, without asking.")
    var deleteVolumes: Bool?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let service = try Host.lasting()
        let result = try await DeletionQuestion.clean(deleteVolumes, global, kept: \.kept) { deletes in
            try await clean(service, deletes)
        }
        if !global.quiet, result.kept.isEmpty, result.workspaces.isEmpty, result.inUse.isEmpty {
            Terminal.note("nothing to remove")
        }
    }

    private func clean(_ service: LastingService, _ deletes: Bool) async throws -> LastingService.Cleanup {
        let result = try await service.cleanup(dryRun: global.dryRun, deletesVolumes: deletes)
        for name in result.workspaces { Terminal.output("\(name)\n") }
        for name in result.kept {
            Terminal.note("\(name) stays: it may hold work\nhint: --delete-volumes deletes it")
        }
        for name in result.inUse { Terminal.note("\(name) stays: a terminal is open in it") }
        if let error = result.unanswered { Terminal.note("warning: podman cannot list what is left there: \(error)") }
        return result
    }
}
