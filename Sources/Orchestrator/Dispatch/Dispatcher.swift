import FoundationEssentials

/// Takes tasks out of the store and has them worked on, until it is cancelled: then running agents go on, and their tasks wait for a replica.
package struct Dispatcher: Sendable {
    private let store: SQLStore
    private let runner: any AgentRunner
    private let reporter: any TaskReporter
    private let settings: DispatchSettings

    package init(
        store: SQLStore, runner: any AgentRunner, reporter: any TaskReporter, settings: DispatchSettings
    ) {
        self.store = store
        self.runner = runner
        self.reporter = reporter
        self.settings = settings
    }

    package func run() async throws {
        let alarm = Alarm()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await alarm.ring(at: try await store.changes()) { $0 != StoreChange.delivery } }
            group.addTask { try await alarm.ring(every: .seconds(settings.leaseSeconds / 3)) }
            group.addTask { try await dispatch(alarm) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func dispatch(_ alarm: Alarm) async throws {
        let hands = Hands(settings.capacity)
        await withDiscardingTaskGroup { group in
            for await _ in alarm.rings {
                guard !Task.isCancelled else { break }
                for task in await claimed(hands) {
                    group.addTask {
                        await TaskExecution(
                            store: store, runner: runner, reporter: reporter, settings: settings
                        ).run(task)
                        await hands.release(task.id)
                        // Its limits may let another one in.
                        alarm.ring()
                    }
                }
            }
            group.cancelAll()
        }
        try Task.checkCancellation()
    }

    private func claimed(_ hands: Hands) async -> [IssueTask] {
        let (free, inHand) = await (hands.free, hands.tasks)
        guard free > 0 else { return [] }
        do {
            var claim = TaskClaim(
                owner: settings.owner, host: settings.host, count: free, until: settings.leaseEnd(),
                limits: TaskLimits(total: 0), inHand: inHand)
            // Asked after each change, most of which leave nothing to take.
            guard try await store.isAnyThere(for: claim) else { return [] }
            claim.limits = try await settings.limits()
            let tasks = try await store.claim(claim)
            await hands.take(tasks.map(\.id))
            return tasks
        } catch {
            settings.log("no task can be taken: \(error)")
            return []
        }
    }
}

/// The tasks that a replica works on, and how many it may still take.
private actor Hands {
    private(set) var tasks: Set<Int64> = []
    private let capacity: Int

    init(_ capacity: Int) { self.capacity = capacity }

    var free: Int { capacity - tasks.count }

    func take(_ ids: [Int64]) { tasks.formUnion(ids) }
    func release(_ id: Int64) { tasks.remove(id) }
}
