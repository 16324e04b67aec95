package import FoundationEssentials

extension SQLStore {
    package func append(_ activity: Activity) async throws {
        let dialect = engine.dialect
        try await write { try TaskRows($0, dialect).append(activity) }
    }

    /// What an agent does, whoever has its task.
    package func append(_ step: TaskStep, of task: Int64) async throws {
        guard step != TaskStep() else { return }
        let dialect = engine.dialect
        try await write { try TaskRows($0, dialect).append(step, of: task) }
    }

    package func activity(of task: Int64?, after id: Int64, limit: Int) async throws -> [Activity] {
        let condition = task == nil ? "" : "AND task = ?"
        let arguments = [.integer(id)] + (task.map { [SQLValue.integer($0)] } ?? []) + [SQLValue(limit)]
        return try await read { connection in
            try connection.query("SELECT * FROM activity WHERE id > ? \(condition) ORDER BY id LIMIT ?", arguments)
                .map { try Activity($0) }
        }
    }

    package func latestActivity(before id: Int64?, limit: Int) async throws -> [Activity] {
        try await read { connection in
            try connection.query(
                "SELECT * FROM activity WHERE id < ? ORDER BY id DESC LIMIT ?",
                [.integer(id ?? Int64.max), SQLValue(limit)]
            ).map { try Activity($0) }
        }
    }

    package func begin(act key: String, task: Int64, patience: Double) async throws -> OutgoingAct {
        try await write { connection in
            let at = now()
            let made = try connection.query(
                """
                INSERT INTO acts (key, task, started_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE
                    SET started_at = excluded.started_at WHERE acts.result IS NULL AND acts.started_at <= ?
                RETURNING key
                """, [.text(key), .integer(task), .real(at), .real(at - patience)])
            let rows = try connection.query("SELECT result FROM acts WHERE key = ?", [.text(key)])
            return OutgoingAct(key: key, result: rows.first?.text("result"), isHeld: !made.isEmpty)
        }
    }

    package func release(act key: String) async throws {
        try await write { connection in
            try connection.execute("UPDATE acts SET started_at = 0 WHERE key = ? AND result IS NULL", [.text(key)])
        }
    }

    package func finish(act key: String, result: String) async throws {
        try await write { try Self.finish(key, result, $0) }
    }

    package func finish(act key: String, result: String, of task: IssueTask) async throws {
        let dialect = engine.dialect
        try await write { connection in
            let fence = try TaskRows(connection, dialect).fence(task.id)
            guard fence == nil || fence == task.fence else { throw Self.lost(task) }
            try Self.finish(key, result, connection)
        }
    }

    private static func finish(_ key: String, _ result: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE acts SET result = ?, finished_at = ? WHERE key = ?", [.text(result), .real(now()), .text(key)])
    }

    package func count(_ total: TaskUsage, in session: String, of task: IssueTask) async throws {
        let dialect = engine.dialect
        try await write { connection in
            let rows = TaskRows(connection, dialect)
            var current = try rows.locked(task.id)
            let known = current.details.sessionUsage[session] ?? TaskUsage()
            // A ledger that begins again, such as on a volume that was lost, is counted from its beginning.
            let usage = total.cost < known.cost || total.inputTokens < known.inputTokens ? total : total - known
            guard usage != TaskUsage() else { return }
            current.details.usage = current.details.usage + usage
            current.details.sessionUsage[session] = total
            try rows.write(current)
            try connection.execute(
                """
                INSERT INTO usage (at, task, forge, repository_id, input_tokens, output_tokens, cost)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .real(now()), .integer(task.id), .text(task.forge.rawValue), .integer(task.issue.repository.id),
                    SQLValue(usage.inputTokens), SQLValue(usage.outputTokens), .real(usage.cost),
                ])
        }
    }

    package func usage(of repository: RepositoryReference?, since: Date) async throws -> TaskUsage {
        let condition = repository == nil ? "" : "AND repository_id = ?"
        let arguments = [SQLValue(since)] + (repository.map { [SQLValue.integer($0.id)] } ?? [])
        return try await read { connection in
            let rows = try connection.query(
                """
                SELECT SUM(input_tokens) AS input, SUM(output_tokens) AS output, SUM(cost) AS cost FROM usage
                WHERE at >= ? \(condition)
                """, arguments)
            return TaskUsage(
                inputTokens: Int(rows.first?.integer("input") ?? 0),
                outputTokens: Int(rows.first?.integer("output") ?? 0), cost: rows.first?.real("cost") ?? 0)
        }
    }
}

extension Activity {
    fileprivate init(_ row: SQLRow) throws {
        self.init(
            id: try row.required("id", SQLRow.integer), at: try row.required("at", SQLRow.date),
            task: row.integer("task"), kind: try row.word("kind", Kind.self),
            actor: try row.required("actor", SQLRow.text), message: try row.required("message", SQLRow.text),
            state: row.text("state").flatMap { TaskState(rawValue: $0) })
    }
}
