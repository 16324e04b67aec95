import FoundationEssentials
import Orchestrator
import Synchronization

/// Runs nothing: each task's agent ends as its script says.
final class ScriptedRunner: AgentRunner {
    struct State {
        var prepared: [Int64] = []
        var budgets: [Double?] = []
        var disk: Int64 = 0
        var runs: [Int64: Int] = [:]
        var stopped: [Int64] = []
        var stoppedSessions: [String?] = []
        var removed: [Int64] = []
        var collected = 0
        /// Sessions that are there, by task: those that nobody has written down included.
        var made: [String: Int64] = [:]
        var atOnce = 0
        var mostAtOnce = 0
    }

    typealias Script = @Sendable (IssueTask, Int) async throws -> AgentOutcome

    let state = Mutex(State())
    /// What preparing a session finds wrong.
    let preparingFailure = Mutex<(any Error)?>(nil)
    /// What happens elsewhere while a session is prepared.
    let whilePreparing = Mutex<(@Sendable (IssueTask) async throws -> Void)?>(nil)
    /// What the first attempts to bring the work out find wrong.
    let collectingFailures = Mutex<[any Error]>([])
    private let script: Script
    private let told: [AgentRunEvent]

    init(
        telling told: [AgentRunEvent] = [], _ script: @escaping Script = { _, _ in AgentOutcome(summary: "did it") }
    ) {
        self.told = told
        self.script = script
    }

    func prepare(_ task: IssueTask, budget: Double?) async throws -> PreparedSession {
        state.withLock { state in
            state.prepared.append(task.id)
            state.budgets.append(budget)
        }
        if let failure = preparingFailure.withLock({ $0 }) { throw failure }
        try await whilePreparing.withLock { $0 }?(task)
        return PreparedSession(name: "s-task\(task.id)")
    }

    func run(_ task: IssueTask, _ events: @escaping @Sendable (AgentRunEvent) -> Void) async throws -> AgentOutcome {
        let number = state.withLock { state in
            state.runs[task.id, default: 0] += 1
            state.atOnce += 1
            state.mostAtOnce = max(state.mostAtOnce, state.atOnce)
            return state.runs[task.id] ?? 0
        }
        defer { state.withLock { $0.atOnce -= 1 } }
        events(.output("at work on \(task.details.title)\n"))
        events(.step("reads the issue"))
        for event in told { events(event) }
        return try await script(task, number)
    }

    func stop(_ task: IssueTask) {
        state.withLock { state in
            state.stopped.append(task.id)
            state.stoppedSessions.append(task.details.session)
        }
    }
    func remove(_ task: IssueTask) { state.withLock { $0.removed.append(task.id) } }
    func diff(_ task: IssueTask) -> String { "diff --git a/x b/x\n+added <b>\n" }

    func sessions(besides known: Set<String>) -> [String: Int64] {
        state.withLock { $0.made.filter { !known.contains($0.key) } }
    }

    func diskUse(of repository: RepositoryReference, tasks: [IssueTask]) -> Int64 { state.withLock { $0.disk } }

    func collect(_ task: IssueTask) throws -> CollectedWork? {
        let failure = collectingFailures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let failure { throw failure }
        return CollectedWork(gitDirectory: "/nowhere", host: [:], commit: "c\(task.id)", base: "base")
    }
}

/// Keeps what would be told the forge.
final class RecordingReporter: TaskReporter {
    let closed = Mutex<[Int64: [TaskState]]>([:])
    let published = Mutex<[Int64: Int]>([:])
    let waits = Mutex<[String]>([])
    /// What the forge says to whatever is told.
    let failure = Mutex<OrchestratorError?>(nil)
    let tries = Mutex(0)
    /// How many calls of ``publish(_:_:)`` the forge is away for.
    let refusals = Mutex(0)
    /// What happens elsewhere while work is published.
    let whilePublishing = Mutex<(@Sendable (IssueTask) async throws -> Void)?>(nil)

    func progress(_ task: IssueTask) {}

    func wait(_ task: IssueTask, for reason: String?) throws {
        if let error = failure.withLock({ $0 }) { throw error }
        waits.withLock { $0.append("\(task.state.rawValue): \(reason ?? "")") }
    }

    func publish(_ task: IssueTask, _ work: CollectedWork) async throws -> TaskPullRequest {
        try await whilePublishing.withLock { $0 }?(task)
        let isAway = refusals.withLock { left in
            defer { left = max(left - 1, 0) }
            return left > 0
        }
        if isAway { throw TaskFailure(.forge, "HTTP status 502") }
        published.withLock { $0[task.id, default: 0] += 1 }
        return TaskPullRequest(number: Int(task.id) + 100, url: "https://forge.example/pull", head: work.commit)
    }

    func close(_ task: IssueTask) throws {
        tries.withLock { $0 += 1 }
        if let error = failure.withLock({ $0 }) { throw error }
        closed.withLock { $0[task.id, default: []].append(task.state) }
    }
}

extension ScriptedRunner {
    /// Whose agents take 50 ms.
    static var quick: ScriptedRunner {
        ScriptedRunner { _, _ in
            try await Task.sleep(for: .milliseconds(50))
            return AgentOutcome(summary: "did it")
        }
    }
}

func dispatcher(
    _ store: SQLStore, _ runner: ScriptedRunner, _ reporter: RecordingReporter, owner: String = "a",
    lease: Double = 30, limits: TaskLimits = TaskLimits(total: 1000), attempts: Int = 2, firstDelay: Double = 30,
    budget: @escaping @Sendable (IssueTask) async throws -> Double? = { _ in nil }
) -> Dispatcher {
    var settings = DispatchSettings(owner: owner, host: "host-a") { limits }
    settings.leaseSeconds = lease
    settings.retries = RetryPolicy(attempts: attempts)
    settings.retries.firstDelay = firstDelay
    settings.capacity = 20
    settings.budget = budget
    return Dispatcher(store: store, runner: runner, reporter: reporter, settings: settings)
}

/// Runs the body beside something that goes on until then.
func beside<Result: Sendable>(
    _ service: @escaping @Sendable () async throws -> Void, _ body: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
            do { try await service() } catch is CancellationError {}
            return nil
        }
        group.addTask { try await body() }
        while let result = try await group.next() {
            guard let value = result else { continue }
            group.cancelAll()
            return value
        }
        throw CancellationError()
    }
}
