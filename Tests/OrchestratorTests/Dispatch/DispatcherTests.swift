import FoundationEssentials
import Glibc
import Orchestrator
import Synchronization
import TestSupport
import Testing

@Suite struct DispatcherTests {
    @Test(arguments: StoreKind.allCases)
    func `a task goes from the queue to its review, with output, steps and every transition`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (runner, reporter) = (ScriptedRunner(), RecordingReporter())
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, reporter).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            let done = try await store.task(task.id)
            #expect(done.details.pullRequest?.head == "c\(task.id)" && done.lease == nil)
            #expect(done.details.session == "s-task\(task.id)" && done.details.host == "host-a")
            let activity = try await store.activity(of: task.id, after: 0, limit: 100)
            #expect(
                activity.compactMap(\.state) == [.received, .queued, .preparing, .working, .reporting, .review])
            #expect(activity.contains { $0.kind == .progress && $0.message == "reads the issue" })
            #expect(
                try await store.output(of: task.id, after: 0, limit: 10).map(\.text).joined() == "at work on Issue 1\n")
        }
    }

    @Test func `a session that cannot be prepared, for whatever reason, ends its task, and is not tried without end`()
        async throws
    {
        struct Fault: Error {}
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner()
            runner.preparingFailure.withLock { $0 = Fault() }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it has failed") { try await store.task(task.id).state == .failed }
            }
            #expect(runner.state.withLock { $0.prepared } == [task.id])
        }
    }

    @Test func `a refused report is on the task's page with its line, spending is counted once, and the task goes on`()
        async throws
    {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner(
                telling: [
                    .refused(".so/reporting.yaml:4:1: invalid status"),
                    .usage(TaskUsage(inputTokens: 10, outputTokens: 1, cost: 0.25)),
                ]
            ) { _, _ in
                AgentOutcome(
                    summary: "did it", tests: ["make test"],
                    usage: TaskUsage(inputTokens: 20, outputTokens: 2, cost: 0.5))
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            let done = try await store.task(task.id).details
            #expect(done.usage == TaskUsage(inputTokens: 20, outputTokens: 2, cost: 0.5))
            #expect(done.tests == ["make test"] && done.grantedCost == nil)
            let warnings = try await store.activity(of: task.id, after: 0, limit: 100).filter { $0.kind == .warning }
            #expect(warnings.map(\.message) == ["a report was refused: .so/reporting.yaml:4:1: invalid status"])
        }
    }

    @Test func `steps that come fast are all in the timeline`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner(telling: [.step("printf hello"), .step("test -s greeting"), .step("ends")])
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            let steps = try await store.activity(of: task.id, after: 0, limit: 100).filter { $0.kind == .progress }
            #expect(steps.map(\.message) == ["reads the issue", "printf hello", "test -s greeting", "ends"])
        }
    }

    @Test func `a credential that is entered while a task finds none is not waited for`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner { _, number in
                if number == 1 {
                    try await store.noteCredentials()
                    return AgentOutcome(failure: TaskFailure(.credential, "none"))
                }
                return AgentOutcome()
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
        }
    }

    @Test func `a budget is asked for before anything begins; where it is spent the task waits for it`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(
                    store, runner, RecordingReporter(),
                    budget: { _ in
                        throw TaskFailure(.budget, "spent")
                    }
                ).run()
            } _: {
                try await eventually("it waits") { try await store.task(task.id).state == .blocked }
            }
            #expect(runner.state.withLock { $0.prepared } == [])
            try await store.apply(TaskEffect(.unblock(task.id), by: "so"))
            try await beside {
                try await dispatcher(store, runner, RecordingReporter(), budget: { _ in 3 }).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            #expect(runner.state.withLock { $0.budgets } == [3])
        }
    }

    @Test func `an agent that fails is tried once more, with its failure; then a person has to look`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner { task, number in
                #expect(number == 1 || task.details.failure?.message == "it broke")
                return AgentOutcome(failure: TaskFailure(.agent, "it broke", lastLines: ["the last line"]))
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it is escalated") { try await store.task(task.id).state == .escalated }
            }
            #expect(runner.state.withLock { $0.runs[task.id] } == 2)
            #expect(try await store.task(task.id).details.failure?.lastLines == ["the last line"])
        }
    }

    @Test(arguments: [1, 9]) func `a forge that is away when the work is brought to it has the agent not asked again`(
        refusals: Int
    ) async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let (runner, reporter) = (ScriptedRunner(), RecordingReporter())
            reporter.refusals.withLock { $0 = refusals }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, reporter, lease: 0.3, firstDelay: 0.001).run()
            } _: {
                if refusals > 8 {
                    try await eventually("it is escalated") { try await store.task(task.id).state == .escalated }
                    try await store.apply(TaskEffect(.retry(task.id), by: "ada"))
                }
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            #expect(runner.state.withLock { $0.runs[task.id] } == 1)
            #expect(reporter.published.withLock { $0 } == [task.id: 1])
            #expect(try await store.task(task.id).details.awaitsReport == nil)
        }
    }

    @Test func `what failed decides: a provider later, a setup never, a credential when it is there`() {
        let policy = RetryPolicy(attempts: 2)
        var details = TaskDetails(title: "", body: "", requestedBy: "", branch: "")
        details.attempts = 1
        let now = Date()
        #expect(policy.decide(TaskFailure(.provider, ""), details, now: now).notBefore == now.addingTimeInterval(30))
        #expect(policy.decide(TaskFailure(.setup, ""), details, now: now).state == .failed)
        #expect(policy.decide(TaskFailure(.refused, ""), details, now: now).state == .failed)
        #expect(policy.decide(TaskFailure(.credential, ""), details, now: now).state == .blocked)
        #expect(policy.decide(TaskFailure(.agent, ""), details, now: now).state == .queued)
        (details.attempts, details.delays) = (2, 8)
        #expect(policy.decide(TaskFailure(.agent, ""), details, now: now).state == .escalated)
        #expect(policy.decide(TaskFailure(.provider, ""), details, now: now).state == .escalated)
    }

    @Test(arguments: StoreKind.allCases) func `a cancelled task's agent is stopped at once`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let runner = ScriptedRunner { _, _ in
                try await Task.sleep(for: .seconds(600))
                return AgentOutcome()
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it works") { try await store.task(task.id).state == .working }
                try await store.apply(TaskEffect(.cancel(task.id, reason: "@so stop"), by: "ada"))
                try await eventually("its agent is stopped") { runner.state.withLock { $0.stopped } == [task.id] }
            }
            #expect(try await store.task(task.id).state == .cancelled)
        }
    }

    @Test func `a replica that ends leaves its agents at work, and the next one goes on from there`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner { _, number in
                if number == 1 { try await Task.sleep(for: .seconds(600)) }
                return AgentOutcome(summary: "taken up")
            }
            let reporter = RecordingReporter()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, reporter).run()
            } _: {
                try await eventually("it works") { try await store.task(task.id).state == .working }
            }
            try await beside {
                try await dispatcher(store, runner, reporter, owner: "b").run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            #expect(runner.state.withLock { $0.prepared } == [task.id])
            #expect(runner.state.withLock { $0.stopped } == [])
            #expect(reporter.published.withLock { $0 } == [task.id: 1])
            // Its output is read again from the beginning, and stands there once.
            #expect(
                try await store.output(of: task.id, after: 0, limit: 10).map(\.text).joined() == "at work on Issue 1\n")
        }
    }

    @Test func `what a person says while the agent works makes another round on the same session`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner { task, number in
                if number == 1 { try await store.apply(TaskEffect(.instruct(task.id, "in French"), by: "ada")) }
                #expect(number == 1 || task.details.instructions == ["in French"])
                return AgentOutcome()
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("both rounds are over") {
                    let task = try await store.task(task.id)
                    return task.state == .review && task.details.rounds == 2
                }
            }
            #expect(try await store.task(task.id).details.instructions == [])
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [true, false]) func `what is said while the work is brought to the forge makes another round`(
            kind: StoreKind, isReview: Bool
        ) async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (runner, reporter) = (ScriptedRunner(), RecordingReporter())
            reporter.whilePublishing.withLock { hook in
                hook = { task in
                    guard task.details.rounds == 0 else { return }
                    let change =
                        isReview
                        ? TaskEffect.Change.followUp(task.id, review: 5, text: "in French")
                        : .instruct(task.id, "in French")
                    try await store.apply(TaskEffect(change, by: "ada"))
                }
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, reporter).run()
            } _: {
                try await eventually("both rounds are over") {
                    let task = try await store.task(task.id)
                    return task.state == .review && task.details.rounds == 2
                }
            }
            #expect(try await store.task(task.id).details.instructions == [])
        }
    }

    @Test func `a workspace that cannot be reached when the work is brought out has the agent not asked again`()
        async throws
    {
        struct Hiccup: Error {}
        try await withStore(.sqlite) { open in
            let store = try await open()
            let (runner, reporter) = (ScriptedRunner(), RecordingReporter())
            runner.collectingFailures.withLock { $0 = [Hiccup(), Hiccup()] }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, reporter, lease: 0.3, firstDelay: 0.001).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            #expect(runner.state.withLock { $0.runs[task.id] } == 1)
        }
    }

    @Test func `a task that is stopped while its session is prepared leaves nothing at work`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner()
            runner.whilePreparing.withLock { hook in
                hook = { task in
                    try await store.apply(TaskEffect(.cancel(task.id, reason: "@so stop"), by: "ada"))
                }
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("its session is stopped") {
                    runner.state.withLock { $0.stoppedSessions.contains("s-task\(task.id)") }
                }
            }
        }
    }

    @Test
    func `a session whose task was stopped while nobody held it is stopped at once, by the name that is known of it`()
        async throws
    {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            _ = try await store.claim(.by("a"))
            try await store.record(
                AgentRecord(
                    session: "s-7", task: task.id, profile: "default", host: "host-a", state: .running, since: Date()))
            try await store.apply(TaskEffect(.cancel(task.id, reason: "@so stop"), by: "ada"))
            let recycling = Recycling(
                store: store, runner: runner, host: "host-a", idleTimeout: 600, keepSessions: 3600
            ) { _ in }
            await recycling.care(now: Date())
            #expect(runner.state.withLock { $0.stoppedSessions } == ["s-7"])
            await recycling.care(now: Date())
            #expect(runner.state.withLock { $0.stoppedSessions.count } == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `two replicas work through a queue: each task once, never more at once than allowed`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let stores = [try await open(), try await open()]
            let (runner, reporter) = (ScriptedRunner(), RecordingReporter())
            for number in 1...40 { _ = try await stores[0].create(newTask(number), by: "ada") }
            let limits = TaskLimits(total: 6)
            try await beside {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, store) in stores.enumerated() {
                        group.addTask {
                            try await dispatcher(store, runner, reporter, owner: "r\(index)", lease: 60, limits: limits)
                                .run()
                        }
                    }
                    try await group.waitForAll()
                }
            } _: {
                try await eventually("all are in review") {
                    try await stores[0].counts()[.review] == 40
                }
            }
            #expect(runner.state.withLock { $0.runs.values.allSatisfy { $0 == 1 } })
            #expect(reporter.published.withLock { $0.values.allSatisfy { $0 == 1 } && $0.count == 40 })
            #expect(runner.state.withLock { $0.mostAtOnce } <= 6)
        }
    }

    @Test(
        .enabled(if: ProcessInfo.processInfo.environment["SO_BENCH"] != nil, "scripts/bench orchestrator measures it"))
    func `a thousand tasks of 50 ms each are done once by two replicas on PostgreSQL`() async throws {
        try await withStore(.postgresql) { open in
            let stores = [try await open(), try await open()]
            let reporter = RecordingReporter()
            let runner = ScriptedRunner.quick
            for number in 1...1000 { _ = try await stores[0].create(newTask(number), by: "ada") }
            let clock = ContinuousClock()
            let start = clock.now
            try await beside {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (index, store) in stores.enumerated() {
                        group.addTask {
                            try await dispatcher(store, runner, reporter, owner: "r\(index)", lease: 60).run()
                        }
                    }
                    try await group.waitForAll()
                }
            } _: {
                try await eventually("all are in review") { try await stores[0].counts()[.review] == 1000 }
            }
            let taken = start.duration(to: clock.now)
            let rate = Int(1000 / (taken / .seconds(1)))
            print("1000 tasks of 50 ms, 2 replicas on PostgreSQL, each once: \(rate) tasks/s   >= 150 tasks/s")
            #expect(runner.state.withLock { $0.runs.values.allSatisfy { $0 == 1 } })
            #expect(reporter.published.withLock { $0.count == 1000 && $0.values.allSatisfy { $0 == 1 } })
        }
    }

    @Test(.enabled(if: hostEnvironment["SO_BENCH"] != nil, "scripts/bench orchestrator measures it"))
    func `a thousand tasks are all done though one of two replicas is killed again and again`() async throws {
        try await withPostgres { postgres in
            let address = postgres.address
            let store = try await KilledReplica.open(address)
            for number in 1...1000 { _ = try await store.create(newTask(number), by: "ada") }
            let start = ContinuousClock.now
            let kills = try await beside {
                try await dispatcher(store, .quick, RecordingReporter(), owner: "steady", lease: 2).run()
            } _: {
                var kills = 0
                while try await store.counts()[.review] != 1000 {
                    await #expect(processExitsWith: .signal(SIGKILL)) { [address = address as String] in
                        let store = try await KilledReplica.open(address)
                        let owner = "r\(getpid())"
                        let service = Task {
                            try await dispatcher(store, .quick, RecordingReporter(), owner: owner, lease: 2).run()
                        }
                        try await Task.sleep(for: .seconds(2))
                        kill(getpid(), SIGKILL)
                        try await service.value
                    }
                    kills += 1
                }
                return kills
            }
            let seconds = Int(start.duration(to: .now) / .seconds(1))
            print(
                "1000 tasks, kill -9 of one of 2 replicas every 2 s, \(kills) kills in \(seconds) s: 0 lost   none lost"
            )
        }
    }

    @Test(arguments: StoreKind.allCases) func `the end of a task is told once, whoever ended it`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let reporter = RecordingReporter()
            let closing = Closing(store: store, reporter: reporter) { _ in }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            await closing.tellAll()
            #expect(reporter.closed.withLock { $0 } == [:])
            try await store.apply(TaskEffect(.cancel(task.id, reason: "closed"), by: "ada"))
            await closing.tellAll()
            await closing.tellAll()
            #expect(reporter.closed.withLock { $0 } == [task.id: [.cancelled]])
            try await store.apply(TaskEffect(.retry(task.id), by: "ada"))
            try await store.apply(TaskEffect(.cancel(task.id, reason: "again"), by: "ada"))
            await closing.tellAll()
            #expect(reporter.closed.withLock { $0 } == [task.id: [.cancelled, .cancelled]])
        }
    }

    @Test(arguments: StoreKind.allCases) func `what waits is told once, with its reason`(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let reporter = RecordingReporter()
            let patient = Closing(store: store, reporter: reporter, patience: 3600) { _ in
                nil
            } log: { _ in
            }
            let closing = Closing(store: store, reporter: reporter, patience: 0) { _ in
                "no room"
            } log: { _ in
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            await patient.tellAll()
            #expect(reporter.waits.withLock { $0 } == [])
            await closing.tellAll()
            await closing.tellAll()
            #expect(reporter.waits.withLock { $0 } == ["queued: no room"])
            let taken = try #require(try await store.claim(.by("a")).first)
            await closing.tellAll()
            _ = try await store.step(taken, .blocked, keeping: false)
            await closing.tellAll()
            #expect(reporter.waits.withLock { $0 } == ["queued: no room", "blocked: no room"])
            #expect(try await store.task(task.id).state == .blocked)
        }
    }

    @Test func `a node that vanishes under an agent costs no attempt, and its session is looked for again`()
        async throws
    {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner { _, number in
                if number == 1 { throw TaskFailure(.workspace, "its node cannot be reached") }
                return AgentOutcome(summary: "did it")
            }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, RecordingReporter(), lease: 0.3, attempts: 1, firstDelay: 0.001)
                    .run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            #expect(runner.state.withLock { $0.runs[task.id] } == 2)
            let told = try await store.activity(of: task.id, after: 0, limit: 100).map(\.message)
            #expect(told.contains { $0.hasPrefix("again in ") && $0.contains("its node cannot be reached") }, "\(told)")
        }
    }

    @Test func `an issue that takes no comment is on the activity page, with the reason`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let reporter = RecordingReporter()
            reporter.failure.withLock { $0 = OrchestratorError(.notPermitted, "the issue is locked") }
            let closing = Closing(store: store, reporter: reporter) { _ in }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await store.apply(TaskEffect(.cancel(task.id, reason: "closed"), by: "ada"))
            await closing.tellAll()
            let told = try await store.activity(of: task.id, after: 0, limit: 100).filter { $0.kind == .warning }
            #expect(told.count == 1 && told[0].message.contains("the issue is locked"), "\(told)")
        }
    }

    @Test func `the end of a task whose issue is gone is tried once; that of a forge that is away later`() async throws
    {
        try await withStore(.sqlite) { open in
            let store = try await open()
            for code in [OrchestratorError.Code.missing, .unavailable] {
                let reporter = RecordingReporter()
                reporter.failure.withLock { $0 = OrchestratorError(code, "HTTP status") }
                let lines = Mutex<[String]>([])
                let closing = Closing(store: store, reporter: reporter) { line in lines.withLock { $0.append(line) } }
                let (task, _) = try await store.create(newTask(code == .missing ? 1 : 2), by: "ada")
                try await store.apply(TaskEffect(.cancel(task.id, reason: "closed"), by: "ada"))
                await closing.tellAll()
                await closing.tellAll()
                #expect(reporter.tries.withLock { $0 } == 1 && lines.withLock { $0.count } == 1)
                let activity = try await store.activity(of: task.id, after: 0, limit: 100).map(\.message)
                #expect(activity.contains("its issue is gone from the forge") == (code == .missing))
            }
        }
    }

    @Test func `idle agents are stopped, sessions of merged tasks are taken down`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let (runner, reporter) = (ScriptedRunner(), RecordingReporter())
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await beside {
                try await dispatcher(store, runner, reporter).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            let recycling = Recycling(
                store: store, runner: runner, host: "host-a", idleTimeout: 60, keepSessions: 3600
            ) { _ in }
            await recycling.care(now: Date())
            #expect(try await store.agents().map(\.state) == [.idle])
            await recycling.care(now: Date().addingTimeInterval(61))
            #expect(try await store.agents().map(\.state) == [.recycled])
            #expect(runner.state.withLock { $0.stopped } == [task.id])
            try await store.apply(TaskEffect(.merged(task.id), by: "ada"))
            await recycling.care(now: Date().addingTimeInterval(62))
            #expect(runner.state.withLock { $0.removed } == [task.id])
            #expect(try await store.agents().isEmpty)
        }
    }
}
