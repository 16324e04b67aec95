package import FoundationEssentials

extension SQLStore {
    package func claim(_ request: TaskClaim) async throws -> [IssueTask] {
        let dialect = engine.dialect
        return try await write { connection in
            try TaskClaims(request, TaskRows(connection, dialect)).take()
        }
    }

    /// Whether a claim could find anything, if its limits allowed it. To look for it keeps no other replica waiting.
    package func isAnyThere(for request: TaskClaim) async throws -> Bool {
        let dialect = engine.dialect
        return try await read { try TaskClaims(request, TaskRows($0, dialect)).isAnyThere() }
    }

    package func renew(_ task: IssueTask, until: Date) async throws {
        let rows = try await write { connection in
            try connection.query(
                "UPDATE tasks SET lease_until = ? WHERE id = ? AND fence = ? AND lease_owner = ? RETURNING id",
                [SQLValue(until), .integer(task.id), .integer(task.fence), SQLValue(task.lease?.owner)])
        }
        if rows.isEmpty { throw Self.lost(task) }
    }

    package func advance(
        _ task: IssueTask, to state: TaskState, until: Date?, notBefore: Date?, with step: TaskStep,
        change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask {
        let dialect = engine.dialect
        return try await write { connection in
            let rows = TaskRows(connection, dialect)
            var current = try Self.held(task, rows)
            change(&current.details)
            current.state = Self.next(state, &current.details)
            current.notBefore = notBefore
            current.lease = until.flatMap { until in
                current.lease.map { TaskLease(owner: $0.owner, until: until, fence: $0.fence) }
            }
            var step = step
            for index in step.activities.indices where step.activities[index].kind == .transition {
                step.activities[index].state = current.state
            }
            // Of both, the statements that nobody has to wait for come last.
            try rows.append(step, of: task.id)
            try rows.write(current)
            return current
        }
    }

    /// What was said to an agent at work is the next round, whether its work is in review or it has given up: nobody has to say it again.
    private static func next(_ state: TaskState, _ details: inout TaskDetails) -> TaskState {
        if state == .review { return details.instructions.isEmpty ? state : .queued }
        guard [.failed, .escalated].contains(state), details.instructions.count > details.handed else { return state }
        (details.attempts, details.delays, details.awaitsReport) = (0, 0, nil)
        return .queued
    }

    package func update(
        _ task: IssueTask, with step: TaskStep, change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask {
        let dialect = engine.dialect
        return try await write { connection in
            let rows = TaskRows(connection, dialect)
            var current = try Self.held(task, rows)
            change(&current.details)
            // Of both, the statements that nobody has to wait for come last.
            try rows.append(step, of: task.id)
            try rows.write(current)
            return current
        }
    }

    package func amend(
        _ id: Int64, change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask {
        let dialect = engine.dialect
        return try await write { connection in
            let rows = TaskRows(connection, dialect)
            var current = try rows.locked(id)
            change(&current.details)
            try rows.write(current)
            return current
        }
    }

    /// Whether a task is still whose it was when this was read: one small look, since it is asked after each change.
    package func isHeld(_ task: IssueTask) async throws -> Bool {
        let rows = try await read { try $0.query("SELECT fence FROM tasks WHERE id = ?", [.integer(task.id)]) }
        return rows.first?.integer("fence") == task.fence
    }

    /// Gives a lease up where the task is: another replica goes on from there at once.
    package func release(_ task: IssueTask) async throws {
        try await write { connection in
            try connection.execute(
                "UPDATE tasks SET lease_until = 0 WHERE id = ? AND fence = ? AND lease_owner = ?",
                [.integer(task.id), .integer(task.fence), SQLValue(task.lease?.owner)])
            try connection.announce(task.id)
        }
    }

    /// Tasks in review or ended whose end nobody was told yet, and those that have begun to wait; taken for some seconds, or for as long again as they
    /// have waited to be told.
    ///
    /// - Parameter patience: how long a task has to wait, in seconds, before it is worth a word.
    package func takeUntold(limit: Int, for seconds: Double, patience: Double = 3) async throws -> [IssueTask] {
        let lock = engine.dialect.skipLocked
        let at = now()
        let untold = """
            told = 0 AND (telling_until IS NULL OR telling_until < ?)
                AND (state IN ('review', 'done', 'failed', 'escalated', 'cancelled')
                    OR state IN ('queued', 'blocked') AND updated_at <= ?) ORDER BY id LIMIT ?
            """
        let arguments: [SQLValue] = [.real(at), .real(at - patience), SQLValue(limit)]
        // Asked after each change, most of which leave nothing to tell.
        guard try await read({ try !$0.query("SELECT id FROM tasks WHERE \(untold)", arguments).isEmpty }) else {
            return []
        }
        return try await write { connection in
            let rows = try connection.query("SELECT id, updated_at FROM tasks WHERE \(untold) \(lock)", arguments)
            return try rows.compactMap { row in
                let waited = at - (row.real("updated_at") ?? at)
                return try connection.query(
                    "UPDATE tasks SET telling_until = ? WHERE id = ? RETURNING *",
                    [.real(at + max(seconds, min(waited, 3600))), row["id"]]
                ).first.map { try IssueTask($0) }
            }
        }
    }

    /// Says that a task's end was told, unless it has moved on since.
    package func markTold(_ task: IssueTask) async throws {
        try await write { connection in
            try connection.execute(
                "UPDATE tasks SET told = 1, telling_until = NULL WHERE id = ? AND state = ?",
                [.integer(task.id), .text(task.state.rawValue)])
        }
    }

    private static func held(_ task: IssueTask, _ rows: TaskRows) throws -> IssueTask {
        let current = try rows.locked(task.id)
        guard current.fence == task.fence, let owner = current.lease?.owner, owner == task.lease?.owner else {
            throw lost(task)
        }
        return current
    }

    static func lost(_ task: IssueTask) -> OrchestratorError {
        OrchestratorError(.conflict, "task \(task.id) is no longer held by \(task.lease?.owner ?? "this replica")")
    }
}
