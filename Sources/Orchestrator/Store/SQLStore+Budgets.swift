package import FoundationEssentials

extension SQLStore {
    /// The least that is worth beginning with, in US dollars.
    private static let leastGrant = 0.01

    package func grant(_ wanted: Double?, to task: IssueTask, of budget: Double, since: Date) async throws -> Double? {
        let dialect = engine.dialect
        return try await write { connection in
            // Two tasks that begin at once see each other's grant.
            if dialect == .postgresql { try connection.query("SELECT pg_advisory_xact_lock(7307203)") }
            let rows = TaskRows(connection, dialect)
            var current = try rows.locked(task.id)
            let others = try rows.reserved(in: task.issue.repository, besides: task.id)
            let left = try budget - rows.cost(of: task.issue.repository, since: since) - others
            guard left >= Self.leastGrant else { return nil }
            let amount = min(wanted ?? left, left)
            current.details.grantedCost = current.details.usage.cost + amount
            try rows.write(current)
            return amount
        }
    }

    /// What a repository's tasks at work may still spend.
    package func reserved(in repository: RepositoryReference) async throws -> Double {
        let dialect = engine.dialect
        return try await read { try TaskRows($0, dialect).reserved(in: repository, besides: 0) }
    }
}

extension TaskRows {
    fileprivate func cost(of repository: RepositoryReference, since: Date) throws -> Double {
        let rows = try connection.query(
            "SELECT SUM(cost) AS cost FROM usage WHERE repository_id = ? AND at >= ?",
            [.integer(repository.id), SQLValue(since)])
        return rows.first?.real("cost") ?? 0
    }

    fileprivate func reserved(in repository: RepositoryReference, besides id: Int64) throws -> Double {
        let rows = try connection.query(
            """
            SELECT * FROM tasks WHERE repository_id = ? AND id <> ? AND state IN ('preparing', 'working', 'reporting')
            """, [.integer(repository.id), .integer(id)])
        return try rows.reduce(0) { sum, row in
            let details = try IssueTask(row).details
            return sum + max(0, (details.grantedCost ?? details.usage.cost) - details.usage.cost)
        }
    }
}
