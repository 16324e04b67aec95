import FoundationEssentials
import Orchestrator
import Synchronization
import TestSupport
import Testing

/// What comes between: an instruction while a task gives up, a kill between a session and its record.
@Suite struct InterruptedTests {
    @Test(arguments: StoreKind.allCases)
    func `what was said to an agent that gives up is its next round`(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            let runner = ScriptedRunner { task, run in
                guard run <= 2 else { return AgentOutcome(summary: "done") }
                if run == 2 {
                    try await store.apply(TaskEffect(.instruct(task.id, "use the other library"), by: "ada"))
                }
                return AgentOutcome(failure: TaskFailure(.agent, "it does not compile"))
            }
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it is in review") { try await store.task(task.id).state == .review }
            }
            #expect(runner.state.withLock { $0.runs[task.id] } == 3)
            let activity = try await store.activity(of: task.id, after: 0, limit: 100)
            #expect(!activity.contains { $0.state == .escalated }, "\(activity)")
        }
    }

    @Test func `a task that cannot be set up is not begun again for what it was told first`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            var new = newTask(1)
            new.details.instructions = ["do it"]
            let (task, _) = try await store.create(new, by: "ada")
            let runner = ScriptedRunner()
            runner.preparingFailure.withLock { $0 = TaskFailure(.setup, "no such image") }
            try await beside {
                try await dispatcher(store, runner, RecordingReporter()).run()
            } _: {
                try await eventually("it has failed") { try await store.task(task.id).state == .failed }
            }
            #expect(runner.state.withLock { $0.prepared.count } == 1)
        }
    }

    @Test func `a session that was made and not written down is ended when its task has ended, and left to it before`()
        async throws
    {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let runner = ScriptedRunner()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            _ = try await store.claim(.by("a"))
            runner.state.withLock { $0.made = ["s-7": task.id] }
            let recycling = Recycling(
                store: store, runner: runner, host: "host-a", idleTimeout: 600, keepSessions: 3600
            ) { _ in }
            await recycling.care(now: Date())
            #expect(try await store.agents().isEmpty)
            try await store.apply(TaskEffect(.cancel(task.id, reason: "closed"), by: "ada"))
            await recycling.care(now: Date())
            #expect(runner.state.withLock { $0.stoppedSessions } == ["s-7"])
            await recycling.care(now: Date().addingTimeInterval(3601))
            #expect(runner.state.withLock { $0.removed } == [task.id])
        }
    }
}
