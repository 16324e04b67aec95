package import FoundationEssentials

/// A workspace that the orchestrator has made for an agent.
package struct AgentRecord: Hashable, Sendable, Codable {
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case running, idle
        /// Its pods are stopped, its work is kept.
        case recycled
    }

    /// The session's name.
    package var session: String
    package var task: Int64
    package var profile: String
    package var host: String
    package var state: State
    package var since: Date

    package init(session: String, task: Int64, profile: String, host: String, state: State, since: Date) {
        self.session = session
        self.task = task
        self.profile = profile
        self.host = host
        self.state = state
        self.since = since
    }
}

extension SQLStore {
    package func record(_ agent: AgentRecord) async throws { try await write { try Self.record(agent, $0) } }

    static func record(_ agent: AgentRecord, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO agents (session, task, profile, host, state, since) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (session) DO UPDATE SET task = excluded.task, profile = excluded.profile,
                state = excluded.state, since = excluded.since
            """,
            [
                .text(agent.session), .integer(agent.task), .text(agent.profile), .text(agent.host),
                .text(agent.state.rawValue), SQLValue(agent.since),
            ])
    }

    package func forget(session: String) async throws {
        try await write { try $0.execute("DELETE FROM agents WHERE session = ?", [.text(session)]) }
    }

    package func agents() async throws -> [AgentRecord] {
        try await read { connection in
            try connection.query("SELECT * FROM agents ORDER BY since DESC").map { row in
                AgentRecord(
                    session: try row.required("session", SQLRow.text), task: try row.required("task", SQLRow.integer),
                    profile: try row.required("profile", SQLRow.text), host: try row.required("host", SQLRow.text),
                    state: try row.word("state", AgentRecord.State.self),
                    since: try row.required("since", SQLRow.date))
            }
        }
    }

    /// Makes a project known, and keeps its forge's number.
    package func remember(_ repository: RepositoryReference, forge: ForgeKind) async throws {
        try await write { connection in
            try connection.query(
                """
                INSERT INTO projects (forge, repository_id, name) VALUES (?, ?, ?)
                ON CONFLICT (forge, repository_id) DO UPDATE SET name = excluded.name
                """, [.text(forge.rawValue), .integer(repository.id), .text(repository.name)])
        }
    }

    /// The repositories that the forge has told.
    package func projects() async throws -> [RepositoryReference] {
        try await read { connection in
            try connection.query("SELECT repository_id, name FROM projects ORDER BY name").map { row in
                RepositoryReference(
                    id: try row.required("repository_id", SQLRow.integer), name: try row.required("name", SQLRow.text))
            }
        }
    }

    /// Whether a project is to be reconciled now; then no other replica does it.
    package func beginReconciliation(of repository: RepositoryReference, olderThan seconds: Double) async throws -> Bool
    {
        try await write { connection in
            let at = now()
            return try !connection.query(
                """
                UPDATE projects SET reconciled_at = ? WHERE repository_id = ? AND name = ?
                    AND (reconciled_at IS NULL OR reconciled_at < ?) RETURNING name
                """, [.real(at), .integer(repository.id), .text(repository.name), .real(at - seconds)]
            ).isEmpty
        }
    }

    /// How many tasks are in each state.
    package func counts() async throws -> [TaskState: Int] {
        try await read { connection in
            var counts: [TaskState: Int] = [:]
            for row in try connection.query("SELECT state, COUNT(*) AS count FROM tasks GROUP BY state") {
                counts[try row.word("state", TaskState.self)] = Int(row.integer("count") ?? 0)
            }
            return counts
        }
    }
}
