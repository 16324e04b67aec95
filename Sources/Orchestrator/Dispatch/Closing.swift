import FoundationEssentials

/// Tells the forge how tasks ended, also those that were ended while no server ran.
package struct Closing: Sendable {
    private let store: SQLStore
    private let reporter: any TaskReporter
    private let log: @Sendable (String) -> Void

    package init(store: SQLStore, reporter: any TaskReporter, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.reporter = reporter
        self.log = log
    }

    package func run() async throws {
        let alarm = Alarm()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await alarm.ring(at: try await store.changes()) { $0 != StoreChange.delivery } }
            group.addTask { try await alarm.ring(every: .seconds(15)) }
            group.addTask {
                for await _ in alarm.rings {
                    try Task.checkCancellation()
                    await tellAll()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    package func tellAll() async {
        do {
            while !Task.isCancelled, let task = try await store.takeUntold(limit: 1, for: 30).first {
                do {
                    try await reporter.close(task)
                    try await store.markTold(task)
                } catch  where !(error is CancellationError) {
                    log("the end of task \(task.id) cannot be told yet: \(error)")
                }
            }
        } catch is CancellationError {
        } catch {
            log("ends of tasks wait to be told: \(error)")
        }
    }
}
