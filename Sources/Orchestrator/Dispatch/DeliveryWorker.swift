import FoundationEssentials

/// Handles what was delivered, in the order in which it came.
package struct DeliveryWorker: Sendable {
    private let store: SQLStore
    private let resolver: DeliveryResolver
    private let log: @Sendable (String) -> Void

    /// A delivery that fails so often is kept, and shown with its reason.
    private static let tries = 10
    /// How long one delivery may take before another replica tries it.
    private static let patience = 60.0

    package init(store: SQLStore, resolver: DeliveryResolver, log: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.resolver = resolver
        self.log = log
    }

    package func run() async throws {
        let alarm = Alarm()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await alarm.ring(at: try await store.changes()) { $0 <= StoreChange.unknown } }
            group.addTask { try await alarm.ring(every: .seconds(30)) }
            group.addTask {
                for await _ in alarm.rings {
                    try Task.checkCancellation()
                    await handleAll()
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Handles everything that waits.
    package func handleAll() async {
        do {
            while !Task.isCancelled, let delivery = try await store.takeDeliveries(limit: 1, for: Self.patience).first {
                try await handle(delivery)
            }
        } catch is CancellationError {
        } catch {
            log("deliveries wait: \(error)")
        }
    }

    private func handle(_ delivery: Delivery) async throws {
        do {
            let resolution = try await resolver.resolve(delivery)
            try await store.settle(
                delivery, as: resolution.outcome, reason: resolution.reason, effects: resolution.effects)
        } catch  where !Task.isCancelled && delivery.tries >= Self.tries {
            try await store.settle(delivery, as: .failed, reason: "\(error)", effects: [])
        }
    }
}
