import SystemCrypto

/// Records deliveries; those that come while one is being written are written together with the next commit.
actor DeliveryRecorder {
    private enum Turn: Sendable {
        case settled(Result<Bool, any Error>)
        /// Nobody writes: the waiter does it, for these others too.
        case leads([Waiter])
    }

    private struct Waiter: Sendable {
        var delivery: Delivery
        var turn: CheckedContinuation<Turn, Never>
    }

    private let engine: any SQLEngine
    private var isWriting = false
    private var waiting: [Waiter] = []

    init(_ engine: any SQLEngine) { self.engine = engine }

    /// False where the delivery is known, unless it has failed: then it is handled again, as it came first.
    func record(_ delivery: Delivery) async throws -> Bool {
        guard isWriting else {
            isWriting = true
            return try await lead(delivery, []).get()
        }
        let turn = await withCheckedContinuation { waiting.append(Waiter(delivery: delivery, turn: $0)) }
        switch turn {
        case .settled(let result): return try result.get()
        case .leads(let others): return try await lead(delivery, others).get()
        }
    }

    private func lead(_ own: Delivery, _ others: [Waiter]) async -> Result<Bool, any Error> {
        let results = await write([own] + others.map(\.delivery))
        for (waiter, result) in zip(others, results.dropFirst()) { waiter.turn.resume(returning: .settled(result)) }
        if waiting.isEmpty {
            isWriting = false
        } else {
            let next = waiting.removeFirst()
            let count = min(waiting.count, 255)
            let followers = Array(waiting.prefix(count))
            waiting.removeFirst(count)
            next.turn.resume(returning: .leads(followers))
        }
        return results[0]
    }

    private func write(_ deliveries: [Delivery]) async -> [Result<Bool, any Error>] {
        do {
            return try await engine.write { connection in
                try deliveries.map { .success(try Self.insert($0, connection)) }
            }
        } catch {
            let told = (error as? SQLError)?.told ?? error
            return deliveries.map { _ in .failure(told) }
        }
    }

    private static func insert(_ delivery: Delivery, _ connection: any SQLConnection) throws -> Bool {
        let rows = try connection.query(
            """
            INSERT INTO deliveries (forge, id, event, body, received_at, digest, outcome)
            VALUES (?, ?, ?, ?, ?, ?, 'pending') ON CONFLICT (forge, id) DO UPDATE
                SET outcome = 'pending', reason = NULL, tries = 0, taken_until = NULL WHERE deliveries.outcome = 'failed'
            RETURNING sequence
            """,
            [
                .text(delivery.forge.rawValue), .text(delivery.id), .text(delivery.event), .blob(delivery.body),
                SQLValue(delivery.receivedAt), .text(delivery.digest),
            ])
        guard !rows.isEmpty else { return false }
        try connection.announce(StoreChange.delivery)
        return true
    }
}

extension Delivery {
    /// Of what is signed: the id and the name of the event are not.
    var digest: String { sha256Hex("\(forge.rawValue)\0".utf8 + body) }
}
