import FoundationEssentials

/// One task in the hands of this replica: from where it is to a state that waits for others.
struct TaskExecution: Sendable {
    let store: SQLStore
    let runner: any AgentRunner
    let reporter: any TaskReporter
    let settings: DispatchSettings
    private let startedAt = now()

    init(store: SQLStore, runner: any AgentRunner, reporter: any TaskReporter, settings: DispatchSettings) {
        self.store = store
        self.runner = runner
        self.reporter = reporter
        self.settings = settings
    }

    /// Returns when the task is out of this replica's hands. Cancelled, it leaves the agent at work and the task to another replica.
    func run(_ task: IssueTask) async {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await drive(task) }
                group.addTask { try await renew(task) }
                group.addTask { try await watch(task) }
                defer { group.cancelAll() }
                try await group.next()
            }
        } catch {
            await left(task, error)
        }
    }

    /// What is left to do where the task was taken away, or this replica ends.
    private func left(_ task: IssueTask, _ error: any Error) async {
        do {
            let current = try await store.task(task.id)
            if current.fence == task.fence, !current.state.isActive { return }
            if current.state.isEnded { return try await stop(current) }
            // A store that is away, or a lease that was lost, is left to time: at once would be again and again.
            if Task.isCancelled || error is CancellationError { try await store.release(task) }
        } catch {
            // The store does not answer: the lease ends by itself, and whoever takes the task over finds it as it is.
            settings.log("task \(task.id) is left to its lease: \(error)")
        }
    }

    /// A task that was ended while its session was prepared does not name it yet: the agents' list does.
    private func stop(_ task: IssueTask) async throws {
        let known = try await store.agents().filter { $0.task == task.id && $0.host == settings.host }.map(\.session)
        for session in Set(known + [task.details.session].compactMap { $0 }) {
            var task = task
            task.details.session = session
            try await runner.stop(task)
        }
    }

    private func renew(_ task: IssueTask) async throws {
        while true {
            try await Task.sleep(for: .seconds(settings.leaseSeconds / 3))
            try await store.renew(task, until: settings.leaseEnd())
        }
    }

    /// Ends when the task is somebody else's, or nobody's: it was cancelled.
    private func watch(_ task: IssueTask) async throws {
        for await _ in try await store.changes(of: task.id) {
            guard try await store.isHeld(task) else {
                throw OrchestratorError(.conflict, "task \(task.id) was taken away")
            }
        }
        try Task.checkCancellation()
    }

    private func drive(_ task: IssueTask) async throws {
        var task = task
        do {
            let isBegun = task.state == .working
            if task.state == .preparing { task = try await prepare(task) }
            if task.state == .working { task = try await work(task, isBegun: isBegun) }
            if task.state == .reporting { task = try await report(task) }
        } catch let failure as TaskFailure {
            // What a replica that ends has cut short is not the task's fault: another one goes on from here.
            try Task.checkCancellation()
            try await fail(task, failure)
        } catch let error where isNobodys(error) {
            throw error
        } catch {
            // Never for nothing again and again: an agent's run counts as an attempt, and what never came as far is not tried again.
            try await fail(task, TaskFailure(task.state == .preparing ? .setup : .agent, redacted("\(error)")))
        }
    }

    /// Whether the task itself is not at fault: this replica ends, another one has it, or the store is away.
    private func isNobodys(_ error: any Error) -> Bool {
        guard !Task.isCancelled, !(error is CancellationError) else { return true }
        let code = (error as? OrchestratorError)?.code
        return code == .conflict || code == .unavailable
    }

    private func advance(
        _ task: IssueTask, to state: TaskState, _ message: String, holding: Bool = true, notBefore: Date? = nil,
        with step: TaskStep = TaskStep(), change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask {
        var step = step
        step.activities.append(
            Activity(task: task.id, kind: .transition, actor: settings.owner, message: message, state: state))
        return try await store.advance(
            task, to: state, until: holding ? settings.leaseEnd() : nil, notBefore: notBefore, with: step,
            change: change)
    }

    private func agent(_ state: AgentRecord.State, of task: IssueTask, in session: String) -> AgentRecord {
        AgentRecord(
            session: session, task: task.id, profile: task.agent, host: settings.host, state: state, since: Date())
    }

    private func prepare(_ task: IssueTask) async throws -> IssueTask {
        let mark = try await store.lastOutput(of: task.id)
        let prepared = try await runner.prepare(task, budget: try await settings.budget(task))
        let session = prepared.name
        if let old = task.details.session, old != session { try await store.forget(session: old) }
        let handed = task.details.instructions.count
        let host = settings.host
        let record = agent(.running, of: task, in: session)
        do {
            return try await advance(
                task, to: .working, "the agent \(task.agent) works in session \(session)", with: TaskStep(agent: record)
            ) {
                $0.session = session
                $0.relatedFiles = prepared.relatedFiles ?? $0.relatedFiles
                $0.host = host
                $0.handed = handed
                $0.attempts += 1
                $0.outputMark = mark
                ($0.beginsAnew, $0.awaitsReport) = (nil, nil)
            }
        } catch {
            // Whoever stops the task has to find what was made for it.
            try await store.record(record)
            throw error
        }
    }

    private func work(_ task: IssueTask, isBegun: Bool) async throws -> IssueTask {
        // A run that is taken up is read again from its beginning.
        if isBegun { try await store.removeOutput(of: task.id, after: task.details.outputMark) }
        let (outcome, rest) = try await AgentWatch(execution: self, task: task).run()
        var step = rest
        if let session = task.details.session {
            if let usage = outcome.usage { try await store.count(usage, in: session, of: task) }
            step.agent = agent(.idle, of: task, in: session)
        }
        if let failure = outcome.failure {
            _ = try await store.update(task, with: step) { _ in }
            throw failure
        }
        return try await advance(task, to: .reporting, "the agent has ended", with: step) { details in
            details.summary = outcome.summary
            details.tests = outcome.tests
            details.currentStep = nil
            details.failure = nil
        }
    }

    private func report(_ task: IssueTask) async throws -> IssueTask {
        guard let work = try await collected(task) else {
            throw TaskFailure(.agent, "the agent changed nothing", lastLines: lines(task.details.summary))
        }
        var current = try await store.task(task.id)
        // What is written down of the push is refused where the task is somebody else's by now.
        current.fence = task.fence
        let pull = try await reporter.publish(current, work)
        var message = "pull request \(task.forge.pullRequest(pull.number)) brings \(pull.head.prefix(12))"
        let others = (pull.effects ?? []).flatMap(\.names)
        if !others.isEmpty { message += "; merged, its commits act on \(others.prefix(20).joined(separator: ", "))" }
        return try await advance(task, to: .review, message, holding: false) { details in
            details.pullRequest = pull
            details.branch = pull.branch ?? details.branch
            details.awaitsReport = nil
            details.grantedCost = nil
            details.instructions.removeFirst(min(details.handed, details.instructions.count))
            (details.handed, details.attempts, details.delays) = (0, 0, 0)
            details.rounds += 1
        }
    }

    /// A runtime that stumbles is not the agent's fault: its work is there, and is brought out later.
    private func collected(_ task: IssueTask) async throws -> CollectedWork? {
        do {
            return try await runner.collect(task)
        } catch let failure as TaskFailure {
            throw failure
        } catch let error where isNobodys(error) {
            throw error
        } catch {
            throw TaskFailure(.workspace, "the work cannot be brought out: \(redacted("\(error)"))")
        }
    }

    private func lines(_ text: String?) -> [String] { (text ?? "").split(separator: "\n").suffix(10).map(String.init) }

    private func fail(_ task: IssueTask, _ failure: TaskFailure) async throws {
        let current = try await store.task(task.id)
        let decision = settings.retries.decide(failure, current.details, now: Date())
        let isPutOff = decision.notBefore != nil
        let isWorkDone = task.state == .reporting && [.forge, .workspace].contains(failure.kind)
        // A session that was not made would have been given all that was said before.
        let heard = task.state == .preparing ? task.details.instructions.count : nil
        _ = try await advance(
            current.fence == task.fence ? current : task, to: decision.state, decision.message, holding: false,
            notBefore: decision.notBefore
        ) { details in
            details.failure = failure
            details.grantedCost = nil
            details.currentStep = nil
            details.handed = heard ?? details.handed
            // What has no session yet is of no host.
            if details.session == nil { details.host = nil }
            details.delays += isPutOff ? 1 : 0
            details.awaitsReport = isWorkDone ? true : nil
            // Being put off is not an attempt of the agent's.
            details.attempts -= isPutOff && task.state == .working && details.attempts > 0 ? 1 : 0
        }
        // One that was entered after this run had looked has found nothing blocked.
        if failure.kind == .credential, try await store.credentialsChanged(after: startedAt) {
            try await store.apply(TaskEffect(.unblock(task.id), by: settings.owner))
        }
    }
}
