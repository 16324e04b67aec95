import FoundationEssentials
import Orchestrator
import Synchronization
import TestSupport
import Testing

@Suite struct BudgetTests {
    private func configured(
        _ agent: String, _ project: String, _ body: (Configuration, SQLStore) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try write(
                """
                url: http://so.example.com
                forge: {kind: github, webhook-secret-file: w, token-file: t}
                agents: {default: {cli: claude-code\(agent)}}
                projects: [{repository: acme/shop\(project)}]
                """, to: directory + "/orchestrator.yml")
            let configuration = try Configuration.load("orchestrator.yml", workingDirectory: directory)
            try await withStore(.sqlite) { open in
                let store = try await open()
                try await store.remember(shop, forge: .github)
                try await body(configuration, store)
            }
        }
    }

    @Test func `a task spends no more than its budget over all its sessions`() async throws {
        try await configured(", budget-usd: 2", "") { configuration, store in
            let budgets = Budgets(store: store, configuration: configuration)
            var (task, _) = try await store.create(newTask(1), by: "ada")
            #expect(try await budgets.grant(to: task) == 2)
            try await store.count(TaskUsage(inputTokens: 1, outputTokens: 1, cost: 1.5), in: "s-1", of: task)
            task = try await store.task(task.id)
            #expect(try await budgets.grant(to: task) == 0.5)
            try await store.count(TaskUsage(inputTokens: 1, outputTokens: 1, cost: 0.5), in: "s-2", of: task)
            task = try await store.task(task.id)
            let refused = await #expect(throws: TaskFailure.self) { try await budgets.grant(to: task) }
            #expect(refused?.kind == .budget)
            #expect(try await !budgets.allows(task))
        }
    }

    @Test func `a project whose month is smaller than its agent's budget begins all the same`() async throws {
        try await configured(", budget-usd: 5", ", budget-usd: 2") { configuration, store in
            let budgets = Budgets(store: store, configuration: configuration)
            let (task, _) = try await store.create(newTask(1), by: "ada")
            #expect(try await budgets.spent() == [])
            #expect(try await budgets.grant(to: task) == 2)
        }
    }

    @Test func `a project's month is never passed: what is at work is kept back, and later tasks wait`() async throws {
        try await configured("", ", budget-usd: 10") { configuration, store in
            let budgets = Budgets(store: store, configuration: configuration)
            for number in 1...2 { _ = try await store.create(newTask(number), by: "ada") }
            let tasks = try await store.claim(.by("a", count: 2))
            #expect(try await budgets.spent() == [])
            // Without a budget of its own it gets what there is.
            #expect(try await budgets.grant(to: tasks[0]) == 10)
            #expect(try await budgets.spent() == ["acme/shop"])
            await #expect(throws: TaskFailure.self) { try await budgets.grant(to: tasks[1]) }
            try await store.count(TaskUsage(inputTokens: 1, outputTokens: 1, cost: 4), in: "s-1", of: tasks[0])
            _ = try await store.advance(
                tasks[0], to: .review, until: nil, notBefore: nil,
                with: TaskStep([Activity(task: tasks[0].id, kind: .transition, actor: "a", message: "done")])
            ) { $0.grantedCost = nil }
            #expect(try await budgets.spent() == [])
            #expect(try await budgets.grant(to: tasks[1]) == 6)
            // The next month begins with nothing spent.
            let later = Date().addingTimeInterval(32 * 86400)
            #expect(try await budgets.grant(to: tasks[1], now: later) == 10)
        }
    }

    @Test func `a project over its disk's limit gives up what ended tasks have left, then waits`() async throws {
        try await configured("", ", disk-limit: 1Mi") { configuration, store in
            let runner = ScriptedRunner()
            runner.state.withLock { $0.disk = 2 << 20 }
            let accounts = DiskAccounts(
                store: store, runner: runner, configuration: configuration, host: "host-a"
            ) { _ in }
            let (task, _) = try await store.create(newTask(1), by: "ada")
            _ = try await store.amend(task.id) { details in (details.session, details.host) = ("s-1", "host-a") }
            await accounts.account()
            #expect(runner.state.withLock { $0.removed } == [])
            #expect(try await DiskAccounts.full(store, configuration, host: "host-a") == ["acme/shop"])
            #expect(try await DiskAccounts.full(store, configuration, host: "host-b") == [])
            try await store.apply(TaskEffect(.cancel(task.id, reason: "x"), by: "ada"))
            await accounts.account()
            #expect(runner.state.withLock { $0.removed } == [task.id])
            #expect(try await store.task(task.id).details.session == nil)
            runner.state.withLock { $0.disk = 1000 }
            await accounts.account()
            #expect(try await DiskAccounts.full(store, configuration, host: "host-a") == [])
            #expect(try await store.diskUse() == ["acme/shop": 1000])
        }
    }
}
