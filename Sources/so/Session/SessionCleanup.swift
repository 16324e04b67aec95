import ArgumentParser
import Workspaces

/// `so session cleanup`.
struct SessionCleanup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cleanup",
        abstract: "Remove what sessions left: pods that no session owns, and what is older than 30 days.",
        discussion: "Work is never removed before it was collected; --dry-run lists what would go.")

    @Flag(help: "Also delete volumes whose work was not collected.")
    var deleteUncollected = false

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let result = try await Host.sessions().cleanup(
            dryRun: global.dryRun, deletesUncollected: deleteUncollected, events: SessionProgress(global).handle,
            failed: Host.notFinished)
        for id in result.sessions { Terminal.output("\(id)\n") }
        for id in result.forgotten { Terminal.output("\(id) (record)\n") }
        for name in result.kept {
            Terminal.note("\(name) stays: its work may not have been collected\nhint: --delete-uncollected deletes it")
        }
        if !global.quiet, result.kept.isEmpty, result.sessions.isEmpty, result.forgotten.isEmpty {
            Terminal.note("nothing to remove")
        }
    }
}
