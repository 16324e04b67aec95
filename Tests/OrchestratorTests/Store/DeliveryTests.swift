import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

@Suite struct DeliveryTests {
    private func delivery(_ id: String, body: [UInt8] = [0, 1, 255, 39]) -> Delivery {
        Delivery(forge: .github, id: id, event: "issues", body: body)
    }

    @Test(arguments: StoreKind.allCases) func `a delivery is recorded once, byte for byte`(kind: StoreKind) async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            #expect(try await store.record(delivery("a")))
            #expect(try await !store.record(delivery("a", body: [9])))
            let pending = try await open().pendingDeliveries(limit: 10)
            #expect(pending.map(\.body) == [[0, 1, 255, 39]])
        }
    }

    @Test(arguments: StoreKind.allCases) func `of many that come at once none is lost, and twins are recorded once`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let new = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<300 {
                    group.addTask { try await store.record(delivery("\(number / 2)")) }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(new == 150)
            #expect(try await store.pendingDeliveries(limit: 1000).count == 150)
        }
    }

    @Test(arguments: StoreKind.allCases) func `a delivery that failed is handled again when the forge sends it again`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            _ = try await store.record(delivery("a"))
            try await store.settle(delivery("a"), as: .failed, reason: "the forge is away", effects: [])
            // Under another id, as by hand at some forges: the same that failed is no repetition.
            _ = try await store.record(delivery("b"))
            #expect(try await store.original(of: delivery("b")) == nil)
            #expect(try await store.record(delivery("a", body: [9])))
            #expect(try await store.pendingDeliveries(limit: 10).map(\.id) == ["a", "b"])
            #expect(try await store.pendingDeliveries(limit: 10).first?.body == [0, 1, 255, 39])
            try await store.settle(delivery("b"), as: .handled, reason: nil, effects: [])
            #expect(try await store.original(of: delivery("a")) == "b")
        }
    }

    @Test(arguments: StoreKind.allCases) func `old deliveries lose what they said, not that they came`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            for id in ["a", "b"] { _ = try await store.record(delivery(id, body: Array(id.utf8))) }
            try await store.settle(delivery("a"), as: .handled, reason: nil, effects: [])
            let (live, _) = try await store.create(newTask(1), by: "ada")
            let (ended, _) = try await store.create(newTask(2), by: "ada")
            try await store.apply(TaskEffect(.cancel(ended.id, reason: "closed"), by: "ada"))
            try await store.forget(bodiesBefore: .distantPast, activityBefore: .distantPast)
            #expect(try await store.deliveries(limit: 2).map(\.body) == [[98], [97]])
            try await store.forget(bodiesBefore: .distantFuture, activityBefore: .distantFuture)
            #expect(try await store.deliveries(limit: 2).map(\.body) == [[98], []])
            #expect(try await !store.record(delivery("a")))
            #expect(try await store.original(of: delivery("c", body: Array("a".utf8))) == "a")
            #expect(try await store.activity(of: live.id, after: 0, limit: 9).count == 2)
            #expect(try await store.activity(of: ended.id, after: 0, limit: 9).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases) func `what a delivery leads to happens once, however often it is settled`(
        kind: StoreKind
    ) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            _ = try await store.record(delivery("a"))
            let (task, _) = try await store.create(newTask(1), by: "ada")
            let effect = TaskEffect(.instruct(task.id, "and test it"), by: "ada")
            for _ in 0..<2 {
                try await store.settle(delivery("a"), as: .handled, reason: nil, effects: [effect])
            }
            #expect(try await store.task(task.id).details.instructions == ["and test it"])
            #expect(try await store.pendingDeliveries(limit: 10).isEmpty)
        }
    }
}

/// What becomes of deliveries while the forge is away.
@Suite struct DeliveryWorkerTests {
    private func worker(_ forge: TestForge, _ store: SQLStore) -> DeliveryWorker {
        let client = GitHub(
            api: forge.api, secret: TestForge.secret, authentication: .token(TestForge.token), isPatient: false,
            writeInterval: .zero)
        let rules = IntakeRules(agents: ["default"])
        let resolver = DeliveryResolver(forge: client, store: store, rules: { _ in rules })
        return DeliveryWorker(store: store, resolver: resolver, firstDelay: 0) { _ in }
    }

    private func webhooks(
        _ forge: TestForge, _ repository: RepositoryReference, _ store: SQLStore
    ) -> TestWebhooks {
        TestWebhooks(forge: forge, repository: repository) { request in
            _ = try await store.record(try forge.client().verify(request))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a forge that is away for longer loses nothing, and what was said later waits for what was said first`(
        kind: StoreKind
    ) async throws {
        try await withForge { forge in
            try await withStore(kind) { open in
                let (repository, store) = (try await forge.repository(), try await open())
                await forge.state.change(repository.name) { repository in
                    for number in [7, 8] {
                        repository.issues[number] = .init(
                            number: number, title: "Fix", body: "", author: "ada", labels: ["so"])
                    }
                }
                let (worker, webhooks) = (worker(forge, store), webhooks(forge, repository, store))
                try await webhooks.label(7, by: "ada", id: "first")
                for _ in 0..<12 {
                    await forge.state.refuse(.server)
                    await worker.handleAll()
                }
                let waiting = try #require(try await store.pendingDeliveries(limit: 10).first)
                #expect(waiting.tries == 12 && waiting.reason?.contains("502") == true)
                // It is put off for an hour; what follows needs the forge as well, and finds it there.
                try await store.putOff(waiting, until: Date().addingTimeInterval(3600), reason: "away")
                try await webhooks.comment("@so stop", on: 7, by: "ada", id: "second")
                try await webhooks.label(8, by: "ada", id: "other")
                await worker.handleAll()
                #expect(try await store.pendingDeliveries(limit: 10).map(\.id) == ["first", "second"])
                #expect(try await store.tasks(TaskQuery()).map(\.issue.number) == [8])
                try await store.putOff(waiting, until: .distantPast, reason: "away")
                #expect(
                    try await store.pendingDeliveries(limit: 10).map(\.reason) == ["away", "waits for an earlier one"])
                await worker.handleAll()
                #expect(try await store.pendingDeliveries(limit: 10).isEmpty)
                let task = try await store.task(
                    of: .issue(IssueReference(repository, number: 7)), forge: .github)
                #expect(task?.state == .cancelled)
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what another replica has in hand about the same issue is not overtaken`(kind: StoreKind) async throws {
        try await withForge { forge in
            try await withStore(kind) { open in
                let (repository, store) = (try await forge.repository(), try await open())
                await forge.state.change(repository.name) { repository in
                    for number in [7, 8] {
                        repository.issues[number] = .init(
                            number: number, title: "Fix", body: "", author: "ada", labels: ["so"])
                    }
                }
                let webhooks = webhooks(forge, repository, store)
                try await webhooks.label(7, by: "ada", id: "first")
                let one = try #require(try await store.pendingDeliveries(limit: 1).first)
                let resolver = DeliveryResolver(
                    forge: forge.client(), store: store, rules: { _ in IntakeRules(agents: ["default"]) })
                try await store.name(one, about: try await resolver.subject(of: one))
                #expect(try await store.takeDeliveries(limit: 1, for: 60).map(\.id) == ["first"])
                // It has not come to its end when somebody stops it, and another replica is free.
                try await webhooks.comment("@so stop", on: 7, by: "ada", id: "second")
                try await webhooks.label(8, by: "ada", id: "other")
                let other = worker(forge, try await open())
                await other.handleAll()
                #expect(try await store.pendingDeliveries(limit: 10).map(\.id) == ["first", "second"])
                #expect(try await store.tasks(TaskQuery()).map(\.issue.number) == [8])
                let resolution = try await resolver.resolve(one)
                try await store.settle(one, as: .handled, reason: nil, effects: resolution.effects)
                await other.handleAll()
                #expect(try await store.pendingDeliveries(limit: 10).isEmpty)
                let task = try await store.task(of: .issue(IssueReference(repository, number: 7)), forge: .github)
                #expect(task?.state == .cancelled)
            }
        }
    }

    @Test func `a retry of what waits for another issue says so, and finds what no webhook has told`() async throws {
        try await withForge { forge in
            try await withStore(.sqlite) { open in
                let (repository, store) = (try await forge.repository(), try await open())
                await forge.state.change(repository.name) { repository in
                    repository.issues[3] = .init(number: 3, title: "Before", body: "", author: "ada")
                    repository.issues[7] = .init(
                        number: 7, title: "Fix", body: "blocked by #3", author: "ada", labels: ["so"])
                }
                let (worker, webhooks) = (worker(forge, store), webhooks(forge, repository, store))
                func state() async throws -> TaskState? {
                    try await store.task(of: .issue(IssueReference(repository, number: 7)), forge: .github)?.state
                }
                try await webhooks.label(7, by: "ada", id: "1")
                try await webhooks.comment("@so retry", on: 7, by: "ada", id: "2")
                await worker.handleAll()
                #expect(try await state() == .blocked)
                let told = await forge.state.comments(repository.name).map(\.body)
                #expect(told.contains { $0.contains("the task waits for #3") }, "\(told)")
                await forge.state.change(repository.name) { $0.issues[3]?.isOpen = false }
                try await webhooks.comment("@so retry", on: 7, by: "ada", id: "3")
                await worker.handleAll()
                #expect(try await state() == .queued)
            }
        }
    }

    @Test(arguments: StoreKind.allCases) func `what has failed is shown first, however old it is`(kind: StoreKind)
        async throws
    {
        try await withStore(kind) { open in
            let store = try await open()
            for number in 0..<5 {
                let delivery = Delivery(forge: .github, id: "\(number)", event: "issues", body: [UInt8(number)])
                _ = try await store.record(delivery)
                try await store.settle(delivery, as: number == 1 ? .failed : .handled, reason: nil, effects: [])
            }
            #expect(try await store.failedFirst(limit: 2, offset: 0).map(\.id) == ["1", "4"])
            #expect(try await store.failedFirst(limit: 3, offset: 2).map(\.id) == ["3", "2", "0"])
        }
    }
}
