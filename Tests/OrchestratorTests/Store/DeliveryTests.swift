import FoundationEssentials
import Orchestrator
import TestSupport
import Testing

@Suite("Deliveries in the store")
struct DeliveryTests {
    private func delivery(_ id: String, body: [UInt8] = [0, 1, 255, 39]) -> Delivery {
        Delivery(forge: .github, id: id, event: "issues", body: body)
    }

    @Test("A delivery is recorded once, byte for byte", arguments: StoreKind.allCases)
    func once(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            #expect(try await store.record(delivery("a")))
            #expect(try await !store.record(delivery("a", body: [9])))
            let pending = try await open().pendingDeliveries(limit: 10)
            #expect(pending.map(\.body) == [[0, 1, 255, 39]])
        }
    }

    @Test("Of many that come at once none is lost, and twins are recorded once", arguments: StoreKind.allCases)
    func storm(kind: StoreKind) async throws {
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

    @Test("What a delivery leads to happens once, however often it is settled", arguments: StoreKind.allCases)
    func settled(kind: StoreKind) async throws {
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
