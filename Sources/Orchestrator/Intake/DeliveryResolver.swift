/// Turns a delivery into effects on tasks: asks the forge what the sender may do, and looks up what the event does not say.
///
/// It may be asked again after a crash: it changes nothing itself but for the answer to `@so status`, which is found by its marker.
package struct DeliveryResolver: Sendable {
    let forge: any Forge
    let store: any TaskStore
    /// The rules of a repository; nil where it is not a project.
    let rules: @Sendable (RepositoryReference) -> IntakeRules?
    let page: @Sendable (IssueTask) -> String?

    /// More repairs than this for one commit do not help.
    static let repairLimit = 2

    package init(
        forge: any Forge, store: any TaskStore, rules: @escaping @Sendable (RepositoryReference) -> IntakeRules?,
        page: @escaping @Sendable (IssueTask) -> String? = { _ in nil }
    ) {
        self.forge = forge
        self.store = store
        self.rules = rules
        self.page = page
    }

    /// What came of a delivery.
    package struct Resolution: Sendable {
        package var outcome: Delivery.Outcome
        package var reason: String?
        package var effects: [TaskEffect] = []
    }

    /// Which issue a delivery is about; nil where it is of none.
    ///
    /// - Throws: where the store could not be asked.
    package func subject(of delivery: Delivery) async throws -> String? {
        guard let target = (try? forge.parse(delivery))?.target else { return nil }
        if case .issue(let issue) = target { return Self.subject(issue) }
        return try await store.task(of: target, forge: forge.kind).map { Self.subject($0.issue) }
    }

    private static func subject(_ issue: IssueReference) -> String { "\(issue.repository.id)#\(issue.number)" }

    /// - Throws: where the forge or the store could not be asked: the delivery waits and is resolved again.
    package func resolve(_ delivery: Delivery) async throws -> Resolution {
        let event: ForgeEvent
        do {
            event = try forge.parse(delivery)
        } catch let error as OrchestratorError where error.code == .invalid {
            return Resolution(outcome: .failed, reason: error.description)
        }
        // Of what the forge can be asked for as it is now, two may read the same.
        if !event.content.isOfState, let original = try await store.original(of: delivery) {
            return Resolution(outcome: .ignored, reason: "the same was delivered before, as \(original)")
        }
        guard let repository = event.repository else {
            return Resolution(outcome: .ignored, reason: "\(delivery.event) is about no repository")
        }
        guard let rules = rules(repository) else {
            return Resolution(outcome: .ignored, reason: "\(repository.name) is not a project of the configuration")
        }
        var intents = Intake(rules).intents(of: event, forge: forge.kind)
        if !intents.isEmpty, event.content.isOfState {
            let present = try await present(event, rules)
            if let reason = present.over { return Resolution(outcome: .ignored, reason: reason) }
            intents = Intake(rules).intents(of: present.event, forge: forge.kind)
                .map { $0.following(present.labelling) }
        }
        var effects = try await effects(of: intents, rules, act: "delivery-\(delivery.id)")
        switch event.content {
        case .closed(let issue), .gone(let issue): effects += try await unblocked(by: issue.reference)
        default: break
        }
        let isNothing = effects.isEmpty && intents.isEmpty
        return Resolution(
            outcome: isNothing ? .ignored : .handled,
            reason: isNothing ? "nothing in it is for the orchestrator" : nil, effects: effects)
    }

    /// What intents lead to, those included that a reconciliation found.
    ///
    /// - Parameter act: names an answer, so that it is given once.
    package func effects(of intents: [Intent], _ rules: IntakeRules, act: String) async throws -> [TaskEffect] {
        var effects: [TaskEffect] = []
        for (index, intent) in intents.enumerated() {
            let next = index + 1 < intents.count ? intents[index + 1] : nil
            guard try await isAllowed(intent) else {
                effects.append(try await refusal(of: intent, isLast: next == nil))
                continue
            }
            let task = try await store.task(of: intent.issue, forge: forge.kind)
            if case .start(let new) = intent.action {
                effects += try await start(new, task, instruction: next, intent.sender.login)
                // The instruction that begins a task is its first, not a second.
                if case .instruct = next?.action, task == nil { break }
                continue
            }
            guard let change = try await change(intent, task, rules, act: act) else { continue }
            effects.append(TaskEffect(change, by: intent.sender.login))
        }
        return effects
    }

    private func isAllowed(_ intent: Intent) async throws -> Bool {
        guard let needed = intent.needs else { return true }
        return try await forge.permission(of: intent.sender.login, in: intent.issue.repository) >= needed
    }

    /// One task an issue: a label that is set again restarts what its removal has cancelled, and what was merged before the issue was opened again.
    /// What failed is restarted by `@so retry` alone.
    private func start(_ new: NewTask, _ task: IssueTask?, instruction: Intent?, _ actor: String) async throws
        -> [TaskEffect]
    {
        guard let task else {
            var new = new
            new.details.blockedBy = try await open(new.details.blockedBy, in: new.issue.repository)
            if case .instruct(let text) = instruction?.action { new.details.instructions = [text] }
            return [TaskEffect(.create(new), by: actor)]
        }
        if case .instruct = instruction?.action { return [] }
        if let setting = new.details.labelling {
            return [TaskEffect(.relabelled(task.id, labelling: setting), by: actor)]
        }
        return [.cancelled, .done].contains(task.state) ? [TaskEffect(.retry(task.id), by: actor)] : []
    }

    private func change(
        _ intent: Intent, _ task: IssueTask?, _ rules: IntakeRules, act: String
    ) async throws -> TaskEffect.Change? {
        if case .status = intent.action {
            try await answer(intent, task, act: act)
            return .note(task?.id, "asked for the status")
        }
        var reason = intent.action.refusal(task, rules)
        if case .retry = intent.action, let task, task.state == .blocked, !task.details.blockedBy.isEmpty {
            // Their end may have been told by no webhook.
            let left = try await open(task.details.blockedBy, in: task.issue.repository)
            if left.isEmpty { return .unblock(task.id) }
            let names = left.map { "#\($0)" }.joined(separator: ", ")
            reason = "There is nothing to retry: the task waits for \(names), and begins when that is closed."
        }
        if let reason {
            try await tell(reason, to: intent, task)
            return .note(task?.id, reason)
        }
        guard let task else { return nil }
        switch intent.action {
        case .stop: return .cancel(task.id, reason: "stopped by \(intent.sender.login)")
        case .retry: return .retry(task.id)
        case .use(let agent): return .use(task.id, agent: agent)
        case .instruct(let text): return .instruct(task.id, text)
        case .followUp(let review, let text):
            return try await followUp(task, review, text, by: intent.sender.login)
        case .repair(let commit, let text): return try await repair(task, commit, text)
        case .cancel(let reason): return try await cancellation(task, reason)
        case .merged: return .merged(task.id)
        case .start, .status: return nil
        }
    }

    /// Gitea's webhook does not say which review it is: the newest that this person asked for changes with.
    private func known(
        _ review: Int64, by author: String, of pull: TaskPullRequest, _ task: IssueTask
    ) async throws -> Int64? {
        guard review == 0 else { return review }
        return try await forge.reviews(of: pull.number, in: task.issue.repository)
            .filter { $0.author.login == author && $0.verdict == .changesRequested }.map(\.id).max()
    }

    private func followUp(
        _ task: IssueTask, _ review: Int64, _ text: String, by author: String
    ) async throws -> TaskEffect.Change? {
        guard let pull = task.details.pullRequest,
            let review = try await known(review, by: author, of: pull, task), !task.details.reviews.contains(review)
        else { return nil }
        let comments = try await forge.reviewComments(review, of: pull.number, in: task.issue.repository)
        let whole = ReportText.review(text, comments)
        return .followUp(task.id, review: review, text: whole.isEmpty ? "Changes were requested." : whole)
    }

    private func repair(_ task: IssueTask, _ commit: String, _ text: String) async throws -> TaskEffect.Change? {
        // Checks of a commit that was replaced since say nothing any more.
        guard let pull = task.details.pullRequest, pull.head == commit, task.state == .review else { return nil }
        guard task.details.repairs[commit, default: 0] < Self.repairLimit else {
            return .note(task.id, "the checks of \(commit.prefix(12)) failed again: a person has to look")
        }
        let checks = try await forge.checks(of: commit, in: task.issue.repository)
        return .repair(task.id, commit: commit, text: checks.failures.isEmpty ? text : ReportText.repair(checks))
    }

    /// A merge closes the issue too, and the two events come in any order.
    private func cancellation(_ task: IssueTask, _ reason: String) async throws -> TaskEffect.Change? {
        if let pull = task.details.pullRequest,
            try await forge.pullRequest(pull.number, in: task.issue.repository).isMerged
        {
            return .merged(task.id)
        }
        return task.state.isEnded ? nil : .cancel(task.id, reason: reason)
    }

    private func unblocked(by issue: IssueReference) async throws -> [TaskEffect] {
        try await store.tasks(TaskQuery(states: [.blocked], limit: 100_000))
            .filter { $0.issue.repository.id == issue.repository.id && $0.details.blockedBy.contains(issue.number) }
            .map { TaskEffect(.blockerClosed($0.id, issue: issue.number), by: "#\(issue.number)") }
    }

    /// Of some issues those that are open; one that nobody can see is waited for by nobody.
    private func open(_ numbers: [Int], in repository: RepositoryReference) async throws -> [Int] {
        var open: [Int] = []
        for number in numbers {
            do {
                guard try await forge.issue(IssueReference(repository, number: number)).isOpen else { continue }
                open.append(number)
            } catch let error as OrchestratorError where error.code == .missing {
                continue
            }
        }
        return open
    }
}

extension IssueTarget {
    var repository: RepositoryReference {
        switch self {
        case .issue(let issue): issue.repository
        case .branch(let repository, _), .pullRequest(let repository, _), .commit(let repository, _): repository
        }
    }

    /// Where an answer belongs: a pull request has a number of the same row, but at GitLab. Nil: below the task's issue.
    func commented(at forge: ForgeKind) -> IssueReference? {
        switch self {
        case .issue(let issue): issue
        case .pullRequest(let repository, let number) where forge != .gitlab:
            IssueReference(repository, number: number)
        case .branch, .pullRequest, .commit: nil
        }
    }
}
