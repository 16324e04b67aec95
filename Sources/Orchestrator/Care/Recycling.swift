package import FoundationEssentials

/// Looks after what agents leave on this host: idle pods are stopped, sessions of ended tasks are taken down.
package struct Recycling: Sendable {
    private let store: SQLStore
    private let runner: any AgentRunner
    private let host: String
    /// Seconds.
    private let idleTimeout: Double
    private let keepSessions: Double
    private let log: @Sendable (String) -> Void

    package init(
        store: SQLStore, runner: any AgentRunner, host: String, idleTimeout: Double, keepSessions: Double,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.runner = runner
        self.host = host
        self.idleTimeout = idleTimeout
        self.keepSessions = keepSessions
        self.log = log
    }

    package func run() async throws {
        let alarm = Alarm()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await alarm.ring(at: try await store.changes()) { $0 != StoreChange.delivery } }
            group.addTask { try await alarm.ring(every: .seconds(60)) }
            group.addTask {
                for await _ in alarm.rings {
                    await care(now: Date())
                    // Many changes are looked at as one.
                    try await Task.sleep(for: .seconds(5))
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// One round: a session that cannot be looked after does not keep the others from it.
    package func care(now: Date) async {
        await adopt(now)
        do {
            for agent in try await store.agents() where agent.host == host {
                do {
                    try await care(agent, now)
                } catch  where !(error is CancellationError) {
                    log("session \(agent.session) cannot be looked after: \(error)")
                }
            }
        } catch {
            log("sessions cannot be looked after: \(error)")
        }
    }

    /// Takes in the sessions that a server was killed over before it had written them down. A task that goes on finds its own; the others' agents are ended.
    private func adopt(_ now: Date) async {
        do {
            let known = Set(try await store.agents().map(\.session))
            for (session, number) in try await runner.sessions(besides: known).sorted(by: { $0.key < $1.key }) {
                let task = try await store.task(number)
                guard !task.state.isActive, task.state != .queued else { continue }
                log("session \(session) of task \(number) is not recorded")
                try await store.record(
                    AgentRecord(
                        session: session, task: number, profile: task.agent, host: host, state: .running, since: now))
            }
        } catch  where !(error is CancellationError) {
            log("sessions cannot be looked for: \(error)")
        } catch {}
    }

    /// Whoever held the task was gone when it was ended: nobody else stops its agent.
    private func isLeft(_ agent: AgentRecord, _ task: IssueTask) -> Bool {
        agent.state == .running && task.state.isEnded
    }

    private func care(_ agent: AgentRecord, _ now: Date) async throws {
        var task = try await store.task(agent.task)
        // The record's own: a task that was ended while its session was prepared does not name it.
        task.details.session = agent.session
        guard !task.state.isActive, task.state != .queued else { return }
        let age = now.timeIntervalSince(max(agent.since, task.updatedAt))
        if task.state.isEnded, age >= (task.state == .done ? 0 : keepSessions) {
            try await runner.remove(task)
            try await store.forget(session: agent.session)
            _ = try await store.amend(task.id) { if $0.session == agent.session { $0.session = nil } }
        } else if agent.state != .recycled, age >= idleTimeout || isLeft(agent, task) {
            try await runner.stop(task)
            var recycled = agent
            (recycled.state, recycled.since) = (.recycled, now)
            try await store.record(recycled)
        }
    }
}
