import FoundationEssentials

/// What comes from outside, applied within one transaction. A change that a task's state does not allow leaves it as it is; the activity says so.
struct TaskChanges {
    private let rows: TaskRows

    init(_ connection: any SQLConnection, _ dialect: SQLDialect) { rows = TaskRows(connection, dialect) }

    func apply(_ effect: TaskEffect) throws {
        let actor = effect.actor
        switch effect.change {
        case .create(let task): _ = try create(task, by: actor)
        case .note(let task, let text):
            try rows.append(Activity(task: task, kind: .warning, actor: actor, message: text))
        case .cancel(let id, let reason): try end(id, .cancelled, actor, reason)
        case .merged(let id): try end(id, .done, actor, "the pull request was merged")
        case .retry(let id): try retry(id, actor)
        case .relabelled(let id, let labelling): try relabel(id, labelling, actor)
        case .use(let id, let agent): try use(id, agent, actor)
        case .unblock(let id): try unblock(id, actor)
        case .blockerClosed(let id, let issue): try blockerClosed(id, issue, actor)
        case .instruct(let id, let text): try add(text, to: id, actor, "received an instruction") { _ in true }
        case .followUp(let id, let review, let text):
            try add(text, to: id, actor, "follows up on a review") { details in
                guard !details.reviews.contains(review) else { return false }
                details.reviews.append(review)
                return true
            }
        case .repair(let id, let commit, let text):
            try add(text, to: id, actor, "repairs failed checks") { details in
                guard details.repairs[commit, default: 0] < 2 else { return false }
                details.repairs[commit, default: 0] += 1
                return true
            }
        }
    }

    /// False where the issue has such a task; one that was cancelled is restarted.
    func create(_ new: NewTask, by actor: String) throws -> Bool {
        if let id = try rows.insert(new) {
            try rows.append(
                transition(id, .received, actor, "task for \(new.issue.repository.name)#\(new.issue.number)"))
            var task = try rows.locked(id)
            try queue(&task, actor)
            return true
        }
        guard let task = try rows.find(.issue(new.issue), new.forge) else { return false }
        // What was said first is not lost where another replica was faster to make the task.
        for text in new.details.instructions {
            try add(text, to: task.id, actor, "received an instruction") { _ in true }
        }
        if task.state == .cancelled, new.details.instructions.isEmpty { try retry(task.id, actor) }
        return false
    }

    private func queue(_ task: inout IssueTask, _ actor: String) throws {
        let blockers = task.details.blockedBy
        let state: TaskState = blockers.isEmpty ? .queued : .blocked
        let names = blockers.map { "#\($0)" }.joined(separator: ", ")
        try move(&task, to: state, actor, blockers.isEmpty ? "waits for its turn" : "waits for \(names)")
    }

    private func move(_ task: inout IssueTask, to state: TaskState, _ actor: String, _ message: String) throws {
        task.state = state
        try rows.write(task)
        try rows.append(transition(task.id, state, actor, message))
    }

    private func transition(_ id: Int64, _ state: TaskState, _ actor: String, _ message: String) -> Activity {
        Activity(task: id, kind: .transition, actor: actor, message: message, state: state)
    }

    private func refuse(_ task: IssueTask, _ actor: String, _ what: String) throws {
        try rows.append(
            Activity(
                task: task.id, kind: .command, actor: actor, message: "\(what): not while it is \(task.state.rawValue)")
        )
    }

    /// Takes the lease from whoever has it: with the next thing that one writes, it learns of the end.
    private func end(_ id: Int64, _ state: TaskState, _ actor: String, _ reason: String) throws {
        var task = try rows.locked(id)
        // What was merged is done, also where somebody had stopped it before.
        guard !task.state.isEnded || (state == .done && task.state != .done) else { return }
        task.lease = nil
        task.fence += 1
        try move(&task, to: state, actor, reason)
    }

    private func retry(_ id: Int64, _ actor: String) throws {
        var task = try rows.locked(id)
        guard task.state.isEnded || task.state == .blocked || task.notBefore != nil else {
            return try refuse(task, actor, "retry")
        }
        (task.details.attempts, task.details.delays) = (0, 0)
        leave(&task)
        task.notBefore = nil
        try queue(&task, actor)
    }

    private func relabel(_ id: Int64, _ labelling: Int64, _ actor: String) throws {
        var task = try rows.locked(id)
        guard labelling > task.details.labelling ?? 0 else { return }
        task.details.labelling = labelling
        try rows.write(task)
        if [.cancelled, .done].contains(task.state) { try retry(id, actor) }
    }

    private func use(_ id: Int64, _ agent: String, _ actor: String) throws {
        var task = try rows.locked(id)
        guard !task.state.isActive else { return try refuse(task, actor, "use \(agent)") }
        task.agent = agent
        // What the other one has done is not what is wanted.
        task.details.awaitsReport = nil
        try rows.write(task)
        try rows.append(Activity(task: id, kind: .command, actor: actor, message: "continues with the agent \(agent)"))
    }

    private func unblock(_ id: Int64, _ actor: String) throws {
        var task = try rows.locked(id)
        guard task.state == .blocked else { return }
        task.details.blockedBy = []
        task.details.failure = nil
        try move(&task, to: .queued, actor, "what it waited for is there")
    }

    /// It goes on when none is left, and nothing else keeps it.
    private func blockerClosed(_ id: Int64, _ issue: Int, _ actor: String) throws {
        var task = try rows.locked(id)
        guard task.details.blockedBy.contains(issue) else { return }
        task.details.blockedBy.removeAll { $0 == issue }
        guard task.state == .blocked, task.details.blockedBy.isEmpty, task.details.failure == nil else {
            try rows.write(task)
            let message = "no longer waits for #\(issue)"
            return try rows.append(Activity(task: id, kind: .command, actor: actor, message: message))
        }
        try move(&task, to: .queued, actor, "what it waited for is there")
    }

    private func add(
        _ text: String, to id: Int64, _ actor: String, _ message: String, _ allowed: (inout TaskDetails) -> Bool
    ) throws {
        var task = try rows.locked(id)
        guard allowed(&task.details) else { return try refuse(task, actor, "\(message) again") }
        task.details.instructions.append(text)
        guard task.state == .review || task.state.isEnded else {
            try rows.write(task)
            return try rows.append(Activity(task: id, kind: .command, actor: actor, message: message))
        }
        task.details.attempts = 0
        task.details.awaitsReport = nil
        leave(&task)
        try move(&task, to: .queued, actor, message)
    }

    /// Begins another round, on a branch and pull request of its own where the last one was merged.
    private func leave(_ task: inout IssueTask) {
        task.details.failure = nil
        task.details.rounds += task.state.isEnded ? 1 : 0
        if task.state.isEnded { task.details.isRestarted = true }
        if task.state == .done { task.details.beginAnew() }
    }
}
