// What is said at the forge about commands.
extension DeliveryResolver {
    func answer(_ intent: Intent, _ task: IssueTask?, act: String) async throws {
        guard let issue = intent.issue.commented(at: forge.kind) ?? task?.issue else { return }
        let text = ReportText.status(task, act: act, page: task.flatMap(page))
        let forge = forge
        _ = try await OutgoingActs(store: store).once("answer/\(act)", task: task?.id ?? 0) {
            try await forge.findComment(marker: ReportMarker.text(act), on: issue)
        } act: {
            try await forge.createComment(text, on: issue)
        }
    }

    /// What somebody may not do is told once, where they have asked for it in words or by a label.
    func refusal(of intent: Intent, isLast: Bool) async throws -> TaskEffect {
        let reason = "\(intent.sender.login) may not \(intent.action.words)"
        if isLast, intent.action.isCommand {
            try await tell(
                "\(ReportText.plain(reason, limit: 200)): it takes write access to this repository.", to: intent, nil)
        }
        return TaskEffect(.note(nil, reason), by: intent.sender.login)
    }

    /// One comment of an issue holds the last answer: however often somebody asks, nobody is notified again, and no bot is led on.
    func tell(_ text: String, to intent: Intent, _ task: IssueTask?) async throws {
        guard let issue = intent.issue.commented(at: forge.kind) ?? task?.issue else { return }
        let forge = forge
        @Sendable func known(_ mark: String) async throws -> Int64? {
            try await forge.findComment(marker: ReportMarker.text(mark), on: issue)
        }
        guard try await known(ReportText.answerMarker(text)) == nil else { return }
        let whole = ReportText.answer(text, on: issue)
        let key = "answer/\(issue.repository.id)/\(ReportText.answerMarker(issue))"
        let (id, isNew) = try await OutgoingActs(store: store).once(key, task: task?.id ?? 0) {
            try await known(ReportText.answerMarker(issue))
        } act: {
            try await forge.createComment(whole, on: issue)
        }
        guard !isNew else { return }
        do {
            try await forge.editComment(id, whole, on: issue)
        } catch let error as OrchestratorError {
            // A comment that somebody has deleted is not wanted.
            guard error.code == .missing else { throw error }
        }
    }
}

extension Intent.Action {
    /// What somebody may not do.
    var words: String {
        switch self {
        case .start: "start a task"
        case .stop: "stop a task"
        case .retry: "retry a task"
        case .status: "ask for the status"
        case .use: "choose the agent"
        case .instruct: "instruct the agent"
        case .followUp: "ask for changes"
        case .repair, .cancel, .merged: "change a task"
        }
    }

    /// Whether somebody waits for an answer to it.
    var isCommand: Bool {
        switch self {
        case .start, .stop, .retry, .status, .use, .instruct: true
        case .followUp, .repair, .cancel, .merged: false
        }
    }

    /// Why it cannot be followed as things are; nil where it can.
    func refusal(_ task: IssueTask?, _ rules: IntakeRules) -> String? {
        guard isCommand else { return nil }
        if case .use(let agent) = self, !rules.agents.contains(agent) {
            let names = rules.agents.sorted().map { "`\($0)`" }.joined(separator: ", ")
            return "There is no agent `\(ReportText.plain(agent, limit: 60))`: `use` one of \(names)."
        }
        guard let task else { return "There is no task here. The label `\(rules.label)` of an issue starts one." }
        switch self {
        case .stop where task.state.isEnded: return "There is nothing to stop: the task has ended."
        case .retry
        where task.state.isActive || task.state == .review || task.state == .queued && task.notBefore == nil:
            return "There is nothing to retry: the task is \(task.state.rawValue)."
        case .use where task.state.isActive: return "The agent cannot be changed while it works: `stop` it before."
        default: return nil
        }
    }
}
