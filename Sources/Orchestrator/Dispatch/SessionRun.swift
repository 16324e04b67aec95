import AgentLoop
import Egress
import FoundationEssentials
import Synchronization
import Workspaces

/// One run of an agent in its session: its log, its reports and what it spends, told as they come.
struct SessionRun: Sendable {
    private let service: SessionService
    private let record: SessionRecord
    private let agent: AgentDeclaration
    private let reading: AgentReading
    private let events: @Sendable (AgentRunEvent) -> Void
    /// Seconds; the loop in the pod keeps to less.
    private let timeout: Int
    private let spending = Spending()

    init(
        _ service: SessionService, _ record: SessionRecord, _ agent: AgentDeclaration, timeout: Int,
        _ events: @escaping @Sendable (AgentRunEvent) -> Void
    ) {
        self.service = service
        self.record = record
        self.agent = agent
        self.timeout = timeout
        self.events = events
        reading = AgentReading(item: record.taskItem ?? "", events)
    }

    private enum Part: Sendable {
        case ended(SessionRecord)
        case timedOut
    }

    func outcome() async throws -> AgentOutcome {
        // What was refused before is not this run's.
        await spend()
        let part = try await withThrowingTaskGroup(of: Part.self) { group in
            group.addTask { .ended(try await service.follow(record, format: agent.output) { reading.read($0) }) }
            group.addTask {
                try await Task.sleep(for: .seconds(timeout))
                return .timedOut
            }
            group.addTask { try await followReports() }
            defer { group.cancelAll() }
            return try await group.next() ?? .timedOut
        }
        guard case .ended(let ended) = part else {
            _ = try await service.stop(record)
            return AgentOutcome(
                failure: TaskFailure(.agent, "the agent took longer than \(timeout) s", lastLines: reading.lines),
                usage: spending.total)
        }
        if let last = try await reports().current() { reading.read(last) }
        await spend()
        var outcome = reading.outcome(ended.result, isBudgetSpent: spending.isOver)
        outcome.usage = spending.total
        return outcome
    }

    private func reports() throws -> ReportStream {
        ReportStream(
            WorkspacePod(try service.deployment(record)), directory: PodPaths.checkout(record.projectName),
            file: agent.loop?.reporting ?? Reporting.defaultPath)
    }

    /// Follows the reports until it is cancelled; a stream that was cut is opened again, and tells the version that there is first.
    private func followReports() async throws -> Part {
        while true {
            do {
                try await reports().follow { version in
                    reading.read(version)
                    if spending.isDue { await spend() }
                }
            } catch is WorkspaceError where !Task.isCancelled {
                // The pod says by its log whether it has ended.
            }
            try await Task.sleep(for: .seconds(1))
        }
    }

    /// Asks the egress for what the session has used. A pod that is gone has told it before, or tells it when it is back.
    private func spend() async {
        guard let status = try? await service.egress(record) else { return }
        let usage = status.usage
        let total = TaskUsage(
            inputTokens: usage.input + usage.cacheRead + usage.cacheWrite, outputTokens: usage.output,
            cost: Double(status.cost) / 1e9)
        if spending.set(total, refused: status.refusedByBudget) { events(.usage(total)) }
    }
}

/// What the egress told last.
private final class Spending: Sendable {
    private struct State {
        var total: TaskUsage?
        var refused = 0
        /// As it was when this run began.
        var refusedBefore: Int?
        var askedAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    var total: TaskUsage? { state.withLock(\.total) }
    /// Whether the budget has refused anything of this run.
    var isOver: Bool { state.withLock { $0.refused > $0.refusedBefore ?? 0 } }

    /// Whether it is time to ask again; then it counts as asked.
    var isDue: Bool {
        state.withLock { state in
            if let last = state.askedAt, last.duration(to: .now) < .seconds(5) { return false }
            state.askedAt = .now
            return true
        }
    }

    /// False where nothing is new.
    func set(_ total: TaskUsage, refused: Int) -> Bool {
        state.withLock { state in
            defer { (state.total, state.refused) = (total, refused) }
            state.refusedBefore = state.refusedBefore ?? refused
            return state.total != total
        }
    }
}

extension SessionRecord {
    /// The id of the task in the tasking.yaml that it was given.
    var taskItem: String? {
        guard let prompt, let tasking = try? Tasking(Array(prompt.utf8), file: "tasking.yaml") else { return nil }
        return tasking.tasks.first?.id
    }

    /// Whether an operation has not come to its end; where none is under way it was cut short.
    var isHalfDone: Bool { ![.running, .pooled, .stopped, .closed].contains(state) }

    /// The number of the task that it was made for: what its item's id begins with.
    var taskNumber: Int64? { taskItem.flatMap { Int64($0.prefix { $0 != "-" }) } }
}
