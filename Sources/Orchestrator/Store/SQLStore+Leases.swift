package import FoundationEssentials

extension SQLStore {
    package func claim(_ request: TaskClaim) async throws -> [IssueTask] {
        let dialect = engine.dialect
        return try await write { connection in
            try TaskClaims(request, TaskRows(connection, dialect)).take()
        }
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
        _ task: IssueTask, to state: TaskState, until: Date?, notBefore: Date?, activity: Activity,
        change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask {
        let dialect = engine.dialect
        return try await write { connection in
            let rows = TaskRows(connection, dialect)
            var current = try Self.held(task, rows)
            change(&current.details)
            // What was said while the work was brought out is no review's: it is the next round.
            current.state = state == .review && !current.details.instructions.isEmpty ? .queued : state
            current.notBefore = notBefore
            current.lease = until.flatMap { until in
                current.lease.map { TaskLease(owner: $0.owner, until: until, fence: $0.fence) }
            }
            try rows.write(current)
            var activity = activity
            activity.state = current.state
            try rows.append(activity)
            return current
        }
    }

    package func update(
        _ task: IssueTask, activity: Activity?, change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask {
        let dialect = engine.dialect
        return try await write { connection in
            let rows = TaskRows(connection, dialect)
            var current = try Self.held(task, rows)
            change(&current.details)
            try rows.write(current)
            if let activity { try rows.append(activity) }
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

    /// Gives a lease up where the task is: another replica goes on from there at once.
    package func release(_ task: IssueTask) async throws {
        try await write { connection in
            try connection.query(
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
        return try await write { connection in
            let at = now()
            let rows = try connection.query(
                """
                SELECT id, updated_at FROM tasks WHERE told = 0 AND (telling_until IS NULL OR telling_until < ?)
                    AND (state IN ('review', 'done', 'failed', 'escalated', 'cancelled')
                        OR state IN ('queued', 'blocked') AND updated_at <= ?) ORDER BY id LIMIT ? \(lock)
                """, [.real(at), .real(at - patience), SQLValue(limit)])
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
            try connection.query(
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

    private static func lost(_ task: IssueTask) -> OrchestratorError {
        OrchestratorError(.conflict, "task \(task.id) is no longer held by \(task.lease?.owner ?? "this replica")")
    }
}

/// Chooses what a replica works on next.
struct TaskClaims {
    private let request: TaskClaim
    private let rows: TaskRows

    init(_ request: TaskClaim, _ rows: TaskRows) {
        self.request = request
        self.rows = rows
    }

    func take() throws -> [IssueTask] {
        // The counts of one replica's claim have to hold until its rows are written.
        if rows.dialect == .postgresql { try rows.connection.query("SELECT pg_advisory_xact_lock(7307202)") }
        var taken = try abandoned()
        var load = try ActiveLoad(rows.connection, request)
        while taken.count < request.count, let row = try load.next(request, rows) {
            let task = try IssueTask(row)
            load.add(task)
            // Where only the forge was not there, the agent is not asked again.
            let isWorkDone = task.details.awaitsReport == true && task.details.session != nil
            taken.append(try lease(task, state: isWorkDone ? .reporting : .preparing, "taken by \(request.owner)"))
        }
        return taken
    }

    /// Tasks whose replica does not renew any more; they go on where they are.
    private func abandoned() throws -> [IssueTask] {
        let found = try rows.connection.query(
            """
            SELECT * FROM tasks WHERE state IN ('preparing', 'working', 'reporting')
                AND (lease_until IS NULL OR lease_until < ?) AND (host IS NULL OR host = ?)
                \(request.excludingThoseInHand) ORDER BY id LIMIT ? \(rows.dialect.skipLocked)
            """, [SQLValue(request.now), .text(request.host)] + request.idsInHand + [SQLValue(request.count)])
        return try found.map { row in
            let task = try IssueTask(row)
            return try lease(task, state: task.state, "taken over by \(request.owner)")
        }
    }

    private func lease(_ task: IssueTask, state: TaskState, _ message: String) throws -> IssueTask {
        var task = task
        task.fence += 1
        // Whatever is begun now is of this host, also where its replica is killed over it.
        task.details.host = request.host
        task.lease = TaskLease(owner: request.owner, until: request.until, fence: task.fence)
        task.state = state
        task.notBefore = nil
        try rows.write(task)
        try rows.append(
            Activity(task: task.id, kind: .transition, actor: request.owner, message: message, state: state))
        return task
    }
}

extension TaskClaim {
    fileprivate var idsInHand: [SQLValue] { inHand.sorted().map { .integer($0) } }
    fileprivate var excludingThoseInHand: String {
        inHand.isEmpty ? "" : "AND id NOT IN (\(placeholders(inHand.count)))"
    }
}

/// What is active over all replicas, and which task is next by priority, fairness and age. Repositories are the same however they are spelled.
struct ActiveLoad {
    private var repositories: [String: Int] = [:]
    private var agents: [String: Int] = [:]
    private var total = 0

    init(_ connection: any SQLConnection, _ request: TaskClaim) throws {
        let active = try connection.query(
            """
            SELECT repository, agent, COUNT(*) AS count FROM tasks WHERE state IN ('preparing', 'working', 'reporting')
            GROUP BY repository, agent
            """)
        for row in active {
            let count = Int(row.integer("count") ?? 0)
            repositories[(row.text("repository") ?? "").lowercased(), default: 0] += count
            agents[row.text("agent") ?? "", default: 0] += count
            total += count
        }
    }

    mutating func add(_ task: IssueTask) {
        repositories[task.issue.repository.name.lowercased(), default: 0] += 1
        agents[task.agent, default: 0] += 1
        total += 1
    }

    /// The best of each repository that may have one more; among equal priorities the repository with the least at work goes first, so that a storm
    /// in one does not starve another.
    func next(_ request: TaskClaim, _ rows: TaskRows) throws -> SQLRow? {
        let limits = request.limits
        guard total < limits.total else { return nil }
        let fullRepositories = limits.repositories.filter { repositories[$0.key.lowercased(), default: 0] >= $0.value }
            .map(\.key)
        let fullAgents = limits.agents.filter { agents[$0.key, default: 0] >= $0.value }.map(\.key)
        let closed = Set(limits.paused.union(fullRepositories).map { $0.lowercased() })
        var statement = """
            SELECT * FROM tasks WHERE state = 'queued' AND (not_before IS NULL OR not_before <= ?)
                AND (host IS NULL OR host = ?) \(request.excludingThoseInHand)
            """
        var arguments: [SQLValue] = [SQLValue(request.now), .text(request.host)] + request.idsInHand
        if !closed.isEmpty { statement += " AND LOWER(repository) NOT IN (\(placeholders(closed.count)))" }
        if !fullAgents.isEmpty { statement += " AND agent NOT IN (\(placeholders(fullAgents.count)))" }
        arguments += (Array(closed) + fullAgents).map { .text($0) }
        let busy = repositories.filter { $0.value > 0 }.sorted { $0.key < $1.key }
        let rank = busy.map { _ in "WHEN ? THEN ?" }.joined(separator: " ")
        let order = busy.isEmpty ? "" : "CASE LOWER(repository) \(rank) ELSE 0 END,"
        for entry in busy { arguments += [.text(entry.key), SQLValue(entry.value)] }
        statement += " ORDER BY priority DESC, \(order) created_at, id LIMIT 1 \(rows.dialect.skipLocked)"
        return try rows.connection.query(statement, arguments).first
    }
}
