package import FoundationEssentials

extension SQLStore {
    package func record(_ delivery: Delivery) async throws -> Bool { try await recorder.record(delivery) }

    package func pendingDeliveries(limit: Int) async throws -> [Delivery] {
        try await read { connection in
            try connection.query(
                "SELECT * FROM deliveries WHERE outcome = 'pending' ORDER BY sequence LIMIT ?", [SQLValue(limit)]
            ).map { try Delivery($0) }
        }
    }

    /// Of those that wait, the ones that nobody has said yet what they are about.
    package func unnamedDeliveries(limit: Int) async throws -> [Delivery] {
        try await read { connection in
            try connection.query(
                "SELECT * FROM deliveries WHERE outcome = 'pending' AND subject IS NULL ORDER BY sequence LIMIT ?",
                [SQLValue(limit)]
            ).map { try Delivery($0) }
        }
    }

    /// Says what a delivery is about; nil: nothing that another one could be about too.
    package func name(_ delivery: Delivery, about subject: String?) async throws {
        try await write { connection in
            try connection.query(
                "UPDATE deliveries SET subject = ? WHERE sequence = ? AND subject IS NULL",
                [.text(subject ?? ""), .integer(delivery.sequence)])
        }
    }

    /// Takes deliveries that wait, for some seconds: no other replica handles them meanwhile. How often is in `tries`. Of those about the same it is the
    /// first, whoever has it and however long it is put off: what was said later is not followed before.
    package func takeDeliveries(limit: Int, for seconds: Double) async throws -> [Delivery] {
        let lock = engine.dialect.skipLocked
        return try await write { connection in
            let at = now()
            let rows = try connection.query(
                """
                SELECT sequence FROM deliveries AS one WHERE outcome = 'pending' AND subject IS NOT NULL
                    AND (taken_until IS NULL OR taken_until < ?)
                    AND NOT EXISTS (SELECT 1 FROM deliveries AS other WHERE other.outcome = 'pending'
                        AND other.subject IS NULL AND other.sequence < one.sequence)
                    AND NOT EXISTS (SELECT 1 FROM deliveries AS other WHERE other.outcome = 'pending'
                        AND other.subject = one.subject AND one.subject <> '' AND other.sequence < one.sequence)
                ORDER BY sequence LIMIT ? \(lock)
                """, [.real(at), SQLValue(limit)])
            return try rows.map { row in
                let taken = try connection.query(
                    "UPDATE deliveries SET taken_until = ?, tries = tries + 1 WHERE sequence = ? RETURNING *",
                    [.real(at + seconds), row["sequence"]])
                guard let delivery = try taken.first.map({ try Delivery($0) }) else { throw TaskRows.unknown(0) }
                return delivery
            }
        }
    }

    package func original(of delivery: Delivery) async throws -> String? {
        try await read { connection in
            let rows = try connection.query(
                """
                SELECT id FROM deliveries WHERE digest = ? AND NOT (forge = ? AND id = ?) AND (outcome = 'handled' OR
                    outcome <> 'failed' AND sequence < (SELECT sequence FROM deliveries WHERE forge = ? AND id = ?))
                ORDER BY sequence LIMIT 1
                """,
                [.text(delivery.digest)]
                    + [delivery.forge.rawValue, delivery.id, delivery.forge.rawValue, delivery.id]
                    .map { .text($0) })
            return rows.first?.text("id")
        }
    }

    /// Leaves a delivery for later; others about the same wait behind it.
    ///
    /// - Parameter reason: why, for the activity page.
    package func putOff(_ delivery: Delivery, until: Date, reason: String) async throws {
        try await write { connection in
            let rows = try connection.query(
                """
                UPDATE deliveries SET taken_until = ?, reason = ? WHERE forge = ? AND id = ? AND outcome = 'pending'
                RETURNING subject
                """, [SQLValue(until), .text(reason), .text(delivery.forge.rawValue), .text(delivery.id)])
            guard let subject = rows.first?.text("subject"), !subject.isEmpty else { return }
            try connection.query(
                "UPDATE deliveries SET reason = ? WHERE outcome = 'pending' AND subject = ? AND sequence > ?",
                [.text("waits for an earlier one"), .text(subject), .integer(delivery.sequence)])
        }
    }

    /// Those that failed first, then the newest.
    package func failedFirst(limit: Int, offset: Int) async throws -> [Delivery] {
        try await read { connection in
            try connection.query(
                """
                SELECT * FROM deliveries WHERE sequence IN (SELECT sequence FROM deliveries
                    ORDER BY CASE outcome WHEN 'failed' THEN 0 ELSE 1 END, sequence DESC LIMIT ? OFFSET ?)
                ORDER BY CASE outcome WHEN 'failed' THEN 0 ELSE 1 END, sequence DESC
                """, [SQLValue(limit), SQLValue(offset)]
            ).map { try Delivery($0) }
        }
    }

    package func deliveries(limit: Int) async throws -> [Delivery] {
        try await read { connection in
            try connection.query("SELECT * FROM deliveries ORDER BY sequence DESC LIMIT ?", [SQLValue(limit)]).map {
                try Delivery($0)
            }
        }
    }

    package func settle(
        _ delivery: Delivery, as outcome: Delivery.Outcome, reason: String?, effects: [TaskEffect]
    ) async throws {
        let dialect = engine.dialect
        try await write { connection in
            let rows = try connection.query(
                """
                UPDATE deliveries SET outcome = ?, reason = ? WHERE forge = ? AND id = ? AND outcome = 'pending'
                RETURNING sequence
                """,
                [
                    .text(outcome.rawValue), SQLValue(reason), .text(delivery.forge.rawValue), .text(delivery.id),
                ])
            guard !rows.isEmpty else { return }
            for effect in effects { try TaskChanges(connection, dialect).apply(effect) }
        }
    }
}

extension Delivery {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            forge: try row.word("forge", ForgeKind.self), id: try row.required("id", SQLRow.text),
            event: try row.required("event", SQLRow.text), body: try row.required("body", SQLRow.blob),
            receivedAt: try row.required("received_at", SQLRow.date), outcome: try row.word("outcome", Outcome.self),
            reason: row.text("reason"))
        tries = Int(row.integer("tries") ?? 0)
        sequence = row.integer("sequence") ?? 0
    }
}
