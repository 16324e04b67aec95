import FoundationEssentials

/// Tells the forge how tasks ended, also those that were ended while no server ran, and which ones wait.
package struct Closing: Sendable {
    private let store: SQLStore
    private let reporter: any TaskReporter
    private let reason: @Sendable (IssueTask) async throws -> String?
    private let patience: Double
    private let log: @Sendable (String) -> Void

    /// - Parameters:
    ///   - patience: how long a task has to wait, in seconds, before that is told.
    ///   - reason: what a queued task waits for.
    package init(
        store: SQLStore, reporter: any TaskReporter, patience: Double = 3,
        reason: @escaping @Sendable (IssueTask) async throws -> String? = { _ in nil },
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.reporter = reporter
        self.patience = patience
        self.reason = reason
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
            while !Task.isCancelled,
                let task = try await store.takeUntold(limit: 1, for: 30, patience: patience).first
            {
                do {
                    try await tell(task)
                } catch  where !(error is CancellationError) {
                    let words = "that it is \(task.state.rawValue) could not be reported yet: \(error)"
                    log("task \(task.id): \(words)")
                    if (error as? OrchestratorError)?.code == .notPermitted {
                        try await noteOnce(redacted(words), task)
                    }
                }
            }
        } catch is CancellationError {
        } catch {
            log("results of tasks could not be reported yet: \(error)")
        }
    }

    /// An issue that was locked is a person's to open; until then it is tried in vain.
    private func noteOnce(_ words: String, _ task: IssueTask) async throws {
        let key = "task-\(task.id)/untold-\(task.state.rawValue)-\(task.fence)"
        guard try await store.begin(act: key, task: task.id, patience: .greatestFiniteMagnitude).isHeld else { return }
        try await store.append(Activity(task: task.id, kind: .warning, actor: "so", message: words))
    }

    private func tell(_ task: IssueTask) async throws {
        do {
            if [.queued, .blocked].contains(task.state) {
                try await reporter.wait(task, for: try await reason(task))
            } else {
                try await reporter.close(task)
            }
        } catch let error as OrchestratorError {
            guard error.code == .missing else { throw error }
            // Deleted, or moved to another repository: no repetition brings it back.
            log("task \(task.id): that it is \(task.state.rawValue) is not reported, since its issue is gone: \(error)")
            try await store.append(
                Activity(task: task.id, kind: .warning, actor: "so", message: "its issue is gone from the forge"))
        }
        try await store.markTold(task)
    }
}
