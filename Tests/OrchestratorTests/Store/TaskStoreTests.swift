import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

@Suite struct TaskStoreTests {
    @Test(arguments: StoreKind.allCases) func `an issue has one task, whoever asks and however often`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let stores = [try await open(), try await open()]
            let made = try await withThrowingTaskGroup(of: (Int64, Bool).self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let result = try await stores[number % 2].create(newTask(7), by: "ada")
                        return (result.task.id, result.isNew)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(made.map(\.0)).count == 1)
            #expect(made.filter(\.1).count == 1)
            let states = try await stores[0].activity(of: made[0].0, after: 0, limit: 10).map(\.state)
            #expect(states == [.received, .queued])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a cancelled issue that is triggered again is restarted; one that is done or has failed is not`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            try await store.apply(TaskEffect(.cancel(task.id, reason: "the issue was closed"), by: "ada"))
            #expect(try await store.create(newTask(1), by: "ada").task.state == .queued)
            try await store.apply(TaskEffect(.merged(task.id), by: "ada"))
            #expect(try await store.create(newTask(1), by: "ada").task.state == .done)
            let (other, _) = try await store.create(newTask(2), by: "ada")
            let held = try #require(try await store.claim(.by("a")).first)
            _ = try await store.step(held, .failed, keeping: false)
            #expect(try await store.create(newTask(2), by: "ada").task.state == .failed)
            try await store.apply(TaskEffect(.retry(other.id), by: "ada"))
            #expect(try await store.task(other.id).state == .queued)
        }
    }

    @Test(arguments: StoreKind.allCases) func `a task that waits for another issue is not taken before it is let go`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            var new = newTask(2)
            new.details.blockedBy = [1]
            let (task, _) = try await store.create(new, by: "ada")
            #expect(task.state == .blocked)
            #expect(try await store.claim(.by("a")).isEmpty)
            try await store.apply(TaskEffect(.unblock(task.id), by: "so"))
            #expect(try await store.claim(.by("a")).map(\.id) == [task.id])
        }
    }

    @Test(arguments: StoreKind.allCases) func `an instruction that comes while an agent works is there when it ends`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            let held = try #require(try await store.claim(.by("a")).first)
            try await store.apply(TaskEffect(.instruct(task.id, "in French"), by: "ada"))
            let working = try await store.step(held, .working)
            #expect(working.details.instructions == ["in French"])
        }
    }

    @Test(arguments: StoreKind.allCases) func `a first instruction that lost the race to a label is handed on`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            var said = newTask(1)
            said.details.instructions = ["also greet the moon"]
            try await store.apply(TaskEffect(.create(said), by: "bob"))
            #expect(try await store.task(task.id).details.instructions == ["also greet the moon"])
            try await store.apply(TaskEffect(.cancel(task.id, reason: "closed"), by: "ada"))
            said.details.instructions = ["and the sun"]
            try await store.apply(TaskEffect(.create(said), by: "bob"))
            let again = try await store.task(task.id)
            #expect(again.state == .queued)
            #expect(again.details.instructions == ["also greet the moon", "and the sun"])
        }
    }

    @Test(arguments: StoreKind.allCases) func `a review is followed up once, a commit repaired twice`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            for _ in 0..<3 {
                try await store.apply(TaskEffect(.followUp(task.id, review: 5, text: "rename it"), by: "ada"))
                try await store.apply(TaskEffect(.repair(task.id, commit: "abc", text: "lint"), by: "ci"))
            }
            #expect(try await store.task(task.id).details.instructions == ["rename it", "lint", "lint"])
        }
    }

    @Test(arguments: StoreKind.allCases) func `tasks are found by issue, branch and pull request`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(4), by: "ada")
            let held = try #require(try await store.claim(.by("a")).first)
            _ = try await store.update(held, with: TaskStep()) {
                $0.pullRequest = TaskPullRequest(number: 9, url: "", head: "abc")
            }
            for target: IssueTarget in [
                .issue(task.issue), .branch(shop, "so/71-4"), .pullRequest(shop, 9),
            ] {
                #expect(try await store.task(of: target, forge: .github)?.id == task.id)
            }
            #expect(try await store.task(of: .pullRequest(shop, 4), forge: .github) == nil)
            #expect(try await store.task(of: .issue(task.issue), forge: .gitea) == nil)
        }
    }

    @Test(arguments: StoreKind.allCases) func `what changes is told, to other replicas too`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let other = kind == .postgresql ? try await open() : store
            let changes = try await other.changes()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            var iterator = changes.makeAsyncIterator()
            #expect(await iterator.next() == task.id)
            // Who waits for one task is not told of another.
            let (second, _) = try await store.create(newTask(2), by: "ada")
            var own = try await other.changes(of: second.id).makeAsyncIterator()
            _ = try await store.amend(task.id) { $0.currentStep = "one" }
            _ = try await store.amend(second.id) { $0.currentStep = "two" }
            #expect(await own.next() == second.id)
            #expect(try await other.isHeld(second))
        }
    }

    @Test(arguments: StoreKind.allCases) func `usage is added up by task and by repository`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, _) = try await store.create(newTask(1), by: "ada")
            for number in 1...2 {
                let total = TaskUsage(inputTokens: 10 * number, outputTokens: 5 * number, cost: 0.5 * Double(number))
                // Told twice, counted once.
                for _ in 0..<2 { try await store.count(total, in: "s-1", of: task) }
            }
            #expect(
                try await store.task(task.id).details.usage == TaskUsage(inputTokens: 20, outputTokens: 10, cost: 1))
            #expect(try await store.usage(of: shop, since: .distantPast).cost == 1)
            #expect(try await store.usage(of: RepositoryReference(id: 1, name: "x/y"), since: .distantPast).cost == 0)
            #expect(try await store.usage(of: nil, since: Date().addingTimeInterval(60)).cost == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an act is in one replica's hands, until its patience is over or it lets go`(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let stores = [try await open(), try await open()]
            let held = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask { try await stores[number % 2].begin(act: "a", task: 1, patience: 60).isHeld }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(held.filter { $0 }.count == 1)
            #expect(try await stores[0].begin(act: "a", task: 1, patience: 0).isHeld)
            #expect(try await !stores[1].begin(act: "a", task: 1, patience: 60).isHeld)
            try await stores[0].release(act: "a")
            #expect(try await stores[1].begin(act: "a", task: 1, patience: 60).isHeld)
            try await stores[1].finish(act: "a", result: "7")
            let done = try await stores[0].begin(act: "a", task: 1, patience: 0)
            #expect(done.result == "7" && !done.isHeld)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a project's budget is kept back for what is at work, and never given twice`(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let stores = [try await open(), try await open()]
            for number in 1...6 { _ = try await stores[0].create(newTask(number), by: "ada") }
            let tasks = try await stores[0].claim(.by("a", count: 6))
            try #require(tasks.count == 6)
            let granted = try await withThrowingTaskGroup(of: Double?.self) { group in
                for (number, task) in tasks.enumerated() {
                    group.addTask { try await stores[number % 2].grant(3, to: task, of: 10, since: .distantPast) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(granted.compactMap { $0 }.reduce(0, +) == 10)
            #expect(granted.filter { $0 == nil }.count == 2)
        }
    }

    @Test(arguments: StoreKind.allCases) func `an act is begun once, and its result stays`(kind: StoreKind) async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            #expect(try await store.begin(act: "task-1/pull-request", task: 1, patience: 60).result == nil)
            try await store.finish(act: "task-1/pull-request", result: "12")
            #expect(try await open().begin(act: "task-1/pull-request", task: 1, patience: 60).result == "12")
        }
    }

    @Test(arguments: StoreKind.allCases) func `a visitor's cookie is known by its digest, ends, and is signed out`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let token = try await store.signIn("ada", .member, repositories: ["acme/shop"], for: 60)
            let visitor = try #require(try await open().visitor(token: token))
            #expect(visitor.maySee("acme/shop") && visitor.maySee("Acme/Shop") && !visitor.maySee("acme/other"))
            try await store.signOut(token: token)
            #expect(try await store.visitor(token: token) == nil)
            let late = try await store.signIn("ada", .administrator, repositories: [], for: -1)
            #expect(try await store.visitor(token: late) == nil)
        }
    }
}
