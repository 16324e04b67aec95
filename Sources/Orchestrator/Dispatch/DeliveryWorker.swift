package import FoundationEssentials

/// Handles what was delivered, in the order in which it came.
package struct DeliveryWorker: Sendable {
    private let store: SQLStore
    private let resolver: DeliveryResolver
    /// Seconds before the second try; each wait is twice the one before, up to an hour.
    private let firstDelay: Double
    private let log: @Sendable (String) -> Void

    /// A delivery that fails so often, and not since the forge or the store is away, is kept, and shown with its reason.
    private static let tries = 10
    /// How long one delivery may take before another replica tries it.
    private static let patience = 60.0

    package init(
        store: SQLStore, resolver: DeliveryResolver, firstDelay: Double = 30, log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.resolver = resolver
        self.firstDelay = firstDelay
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

    /// Handles everything that waits. What cannot be handled now waits longer, and does not keep others from it unless nothing can be.
    package func handleAll(now: @Sendable () -> Date = { Date() }) async {
        do {
            while !Task.isCancelled {
                if let delivery = try await store.takeDeliveries(limit: 1, for: Self.patience).first {
                    guard try await handle(delivery, now()) else { return }
                } else if try await !nameNew() {
                    return
                }
            }
        } catch is CancellationError {
        } catch {
            log("deliveries wait: \(error)")
        }
    }

    /// Says of new deliveries what each is about; false where there are none. Any replica may, before any of them handles one.
    private func nameNew() async throws -> Bool {
        let unnamed = try await store.unnamedDeliveries(limit: 100)
        for delivery in unnamed { try await store.name(delivery, about: try await resolver.subject(of: delivery)) }
        return !unnamed.isEmpty
    }

    /// False where the forge is away: whatever is next would only wait for it too.
    private func handle(_ delivery: Delivery, _ now: Date) async throws -> Bool {
        do {
            let resolution = try await resolver.resolve(delivery)
            try await store.settle(
                delivery, as: resolution.outcome, reason: resolution.reason, effects: resolution.effects)
            return true
        } catch  where !Task.isCancelled && !(error is CancellationError) {
            let isAway = (error as? OrchestratorError)?.code == .unavailable
            guard isAway || delivery.tries < Self.tries else {
                try await store.settle(delivery, as: .failed, reason: "\(error)", effects: [])
                return true
            }
            let delay = min(firstDelay * Double(1 << min(max(delivery.tries - 1, 0), 10)), 3600)
            try await store.putOff(delivery, until: now.addingTimeInterval(delay), reason: redacted("\(error)"))
            log("the delivery \(delivery.id) waits: \(error)")
            return !isAway
        }
    }
}
