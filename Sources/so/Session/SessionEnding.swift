import AgentLoop
import Glibc
import Workspaces
import YAML

/// A session until its end, as a user at a terminal or a script sees it.
struct SessionEnding {
    var service: SessionService
    var global: GlobalOptions

    /// Shows the agent's terminal until it ends or is left; then the work is brought home.
    func attach(_ record: SessionRecord) async throws {
        Interrupts.beginFollowing()
        guard try await service.attach(record, on: .ofThisProcess, term: Terminal.environment("TERM")) else {
            return note("session \(record.id) keeps running: so session attach \(record.id)")
        }
        try await end(try service.store.read(record.id))
    }

    /// Prints what an agent without a terminal says and does until it ends; then the work is brought home.
    ///
    /// - Throws: ``ExitCode`` 1 where the agent failed, or its work could not be brought home.
    func follow(_ record: SessionRecord) async throws {
        Interrupts.beginFollowing()
        let format = try Host.workspaces().agent(record.agent).output
        let printer = AgentPrinter(global)
        let ended: SessionRecord
        do {
            ended = try await service.follow(record, format: format) { printer.print($0) }
        } catch {
            if Task.isCancelled { note("session \(record.id) keeps running: so session logs --follow \(record.id)") }
            throw error
        }
        try await end(ended)
        guard let result = ended.result, result.isFailure else { return }
        throw WorkspaceError(
            .failed, "the agent failed (exit code \(result.exitCode))", cause: result.message,
            hint: "so session diff \(record.id) shows what it left")
    }

    /// Decides what becomes of the work, and closes the session.
    func end(_ record: SessionRecord, policy: ExitPolicy? = nil) async throws {
        let changes = record.onExit == nil && policy == nil ? try await service.diff(record, stat: true) : ""
        var isAsked = policy != nil
        var isDecided = isAsked
        let decision = ExitDecision(
            policy ?? record.onExit, result: record.result, canAsk: Terminal.isInteractive, hasWork: !changes.isEmpty)
        let chosen: ExitPolicy
        switch decision {
        case .decided(let policy): chosen = policy
        case .instead(let policy, let reason):
            (chosen, isDecided) = (policy, true)
            note(reason)
        case .ask:
            chosen = try await ask(record, changes)
            (isAsked, isDecided) = (true, true)
        }
        // What nobody has asked for now is decided once it is known how the agent ended.
        let end = try await service.finish(
            record, isDecided ? chosen : nil, dropsRefused: isAsked && chosen == .discard,
            events: SessionProgress(global).handle)
        try SessionReport(end).print(global)
    }

    private func ask(_ record: SessionRecord, _ changes: String) async throws -> ExitPolicy {
        Terminal.error("\n" + printable(changes))
        let merging = record.baseBranch.map { "merge into \($0)" } ?? "merge"
        while true {
            Terminal.error("keep on the branch \(record.id.branch), \(merging), or discard? [keep] ")
            guard let line = try await answer(record) else { return .keep }
            let answer = line.lowercased().filter { !$0.isWhitespace }
            if answer.isEmpty { return .keep }
            let found = ExitPolicy.allCases.filter { $0.rawValue.hasPrefix(answer) }
            if let policy = found.first { return policy }
            Terminal.note("answer keep, merge or discard")
        }
    }

    private func answer(_ record: SessionRecord) async throws -> String? {
        do {
            return try await TerminalLine.read()
        } catch {
            Terminal.note("\nnothing is decided: so session finish \(record.id)")
            throw error
        }
    }

    private func note(_ text: String) { if !global.quiet { Terminal.note(text) } }
}
