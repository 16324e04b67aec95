import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

@Suite struct LeaseTests {
    @Test(arguments: StoreKind.allCases)
    func `higher priority goes first, then age; limits of project, agent and all hold`(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            for (number, priority, agent) in [(1, 0, "default"), (2, 5, "codex"), (3, 0, "default"), (4, 1, "codex")] {
                _ = try await store.create(newTask(number, priority: priority, agent: agent), by: "ada")
            }
            var limits = TaskLimits(total: 3, repositories: ["acme/shop": 3], agents: ["codex": 1])
            let first = try await store.claim(.by("a", count: 4, limits: limits))
            #expect(first.map(\.issue.number) == [2, 1, 3])
            limits.agents = [:]
            #expect(try await store.claim(.by("a", count: 4, limits: limits)).isEmpty)
            limits.total = 4
            #expect(try await store.claim(.by("a", count: 4, limits: limits)).isEmpty)
            limits.repositories = [:]
            #expect(try await store.claim(.by("a", count: 4, limits: limits)).map(\.issue.number) == [4])
        }
    }

    @Test(arguments: StoreKind.allCases) func `one project's storm does not starve another`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            for number in 1...20 { _ = try await store.create(newTask(number), by: "ada") }
            let small = RepositoryReference(id: 72, name: "acme/small")
            for number in 1...2 { _ = try await store.create(newTask(number, in: small), by: "bob") }
            let taken = try await store.claim(.by("a", count: 4))
            #expect(taken.filter { $0.issue.repository == small }.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func `replicas that claim at once never take the same task`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let stores = [try await open(), try await open()]
            for number in 1...60 { _ = try await stores[0].create(newTask(number), by: "ada") }
            let taken = try await withThrowingTaskGroup(of: [Int64].self) { group in
                for worker in 0..<6 {
                    group.addTask {
                        var mine: [Int64] = []
                        while true {
                            let claim = TaskClaim.by("w\(worker)", count: 3, limits: TaskLimits(total: 50))
                            let tasks = try await stores[worker % 2].claim(claim)
                            if tasks.isEmpty { return mine }
                            mine += tasks.map(\.id)
                        }
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(taken.count == 50 && Set(taken).count == 50)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease that has ended is taken over where the task was, and its former holder is refused`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            _ = try await store.create(newTask(1), by: "ada")
            let first = try #require(try await store.claim(.by("a")).first)
            let working = try await store.step(first, .working)
            #expect(try await store.claim(.by("b")).isEmpty)
            let later = Date().addingTimeInterval(120)
            let taken = try #require(try await store.claim(.by("b", now: later)).first)
            #expect(taken.state == .working && taken.fence == working.fence + 1)
            for refused in [working, first] {
                let error = await #expect(throws: OrchestratorError.self) { try await store.step(refused, .reporting) }
                #expect(error?.code == .conflict)
            }
            await #expect(throws: OrchestratorError.self) { try await store.renew(working, until: later) }
            try await store.renew(taken, until: later)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a replica does not take from itself what it renews late, nor what it still ends`(kind: StoreKind) async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (queued, _) = try await store.create(newTask(1), by: "ada")
            #expect(try await store.claim(.by("a", inHand: [queued.id])).isEmpty)
            let held = try #require(try await store.claim(.by("a")).first)
            let later = Date().addingTimeInterval(120)
            #expect(try await store.claim(.by("a", now: later, inHand: [held.id])).isEmpty)
            try await store.renew(held, until: later)
            let (other, _) = try await store.create(newTask(2), by: "ada")
            let next = try await store.claim(.by("a", count: 2, now: later.addingTimeInterval(1), inHand: [held.id]))
            #expect(next.map(\.id) == [other.id])
            // Another replica may: this one's process may be gone.
            #expect(try await store.claim(.by("b", now: later.addingTimeInterval(1))).map(\.id) == [held.id])
        }
    }

    @Test(arguments: StoreKind.allCases) func `a task whose session is on another host is left to that host`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            _ = try await store.create(newTask(1), by: "ada")
            let held = try #require(try await store.claim(.by("a")).first)
            _ = try await store.update(held, with: TaskStep()) { $0.host = "host-b" }
            let later = Date().addingTimeInterval(120)
            #expect(try await store.claim(.by("a", now: later)).isEmpty)
            var claim = TaskClaim.by("b", now: later)
            claim.host = "host-b"
            #expect(try await store.claim(claim).count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases) func `what a replica has begun to prepare is of its host from the beginning`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            _ = try await store.create(newTask(1), by: "ada")
            #expect(try await store.claim(.by("a")).first?.details.host == "host-a")
            var claim = TaskClaim.by("b", now: Date().addingTimeInterval(120))
            claim.host = "host-b"
            #expect(try await store.claim(claim).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func `a repository's limit holds, however the configuration spells its name`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            for number in 1...3 { _ = try await store.create(newTask(number), by: "ada") }
            var limits = TaskLimits(total: 9, repositories: ["Acme/Shop": 1])
            #expect(try await store.claim(.by("a", count: 3, limits: limits)).count == 1)
            limits.repositories = [:]
            limits.paused = ["ACME/shop"]
            #expect(try await store.claim(.by("a", count: 3, limits: limits)).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func `cancelling takes the lease away from whoever works`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            let held = try #require(try await store.claim(.by("a")).first)
            try await store.apply(TaskEffect(.cancel(task.id, reason: "@so stop"), by: "ada"))
            await #expect(throws: OrchestratorError.self) { try await store.renew(held, until: Date()) }
            #expect(try await store.task(task.id).state == .cancelled)
        }
    }

    @Test(arguments: StoreKind.allCases) func `a retry that waits is not taken before its time`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            _ = try await store.create(newTask(1), by: "ada")
            let held = try #require(try await store.claim(.by("a")).first)
            let moment = Date().addingTimeInterval(300)
            _ = try await store.advance(
                held, to: .queued, until: nil, notBefore: moment,
                with: TaskStep([
                    Activity(task: held.id, kind: .transition, actor: "a", message: "later", state: .queued)
                ])
            ) { $0.attempts = 1 }
            #expect(try await store.claim(.by("a")).isEmpty)
            #expect(try await store.claim(.by("a", now: moment)).map(\.details.attempts) == [1])
        }
    }
}
