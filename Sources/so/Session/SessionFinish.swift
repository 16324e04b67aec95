import ArgumentParser
import Workspaces

/// `so session finish`.
struct SessionFinish: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "finish", abstract: "End a session: collect its work, bring it home, remove its pods.",
        discussion: """
            The agent is ended first. The work is on its branch, merged or left out as --on-exit, workspace.yml or the answer at the \
            terminal says; nothing is deleted before it is safe. The work of a session that is over, a discarded one too, is brought to the \
            project again.
            """)

    @OptionGroup var choice: SessionChoice

    @Option(help: ArgumentHelp("What becomes of the work: keep, merge or discard.", valueName: "policy"))
    var onExit: ExitPolicy?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (service, record) = try await choice.open()
        guard record.state != .closed else { return try await again(service, record) }
        if global.dryRun {
            let policy = (onExit ?? record.onExit ?? .keep).rawValue
            return Terminal.output("collect the work of session \(record.id), \(policy) it, remove the pods\n")
        }
        try await SessionEnding(service: service, global: global).end(record, policy: onExit)
    }

    /// The work of a session that is over is brought to the project where it is not yet, or again.
    private func again(_ service: SessionService, _ record: SessionRecord) async throws {
        let policy = onExit ?? (record.onExit == .merge ? .merge : .keep)
        if global.dryRun {
            return Terminal.output("\(policy.rawValue) the work of session \(record.id), which is over\n")
        }
        guard policy != .discard else { return Terminal.note("session \(record.id) is over") }
        try SessionReport(try await service.deliverAgain(record, policy)).print(global)
    }
}
