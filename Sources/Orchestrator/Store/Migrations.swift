/// The store's schema: each step is run once, in a transaction of its own, and never changed after a release.
struct Migrations: Sendable {
    private let steps: [@Sendable (SQLDialect) -> [String]] = [
        Schema.first, Schema.second, Schema.third, Schema.fourth,
    ]

    /// Brings a store up to this program's schema. Replicas that start together wait for each other.
    ///
    /// - Throws: `OrchestratorError` (`invalid`) where a newer program made the store.
    func run(on engine: some SQLEngine) async throws {
        let (dialect, steps) = (engine.dialect, steps)
        try await engine.write { connection in
            if dialect == .postgresql { try connection.query("SELECT pg_advisory_xact_lock(7307201)") }
            try connection.query(
                "CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, at \(dialect.real))")
            let rows = try connection.query("SELECT COALESCE(MAX(version), 0) AS version FROM migrations")
            let version = Int(rows.first?.integer("version") ?? 0)
            guard version <= steps.count else {
                throw OrchestratorError(
                    .invalid, "the store has schema \(version), and this so knows \(steps.count)",
                    hint: "run the so that made it, or a newer one")
            }
            for (index, step) in steps.enumerated().dropFirst(version) {
                for statement in step(dialect) { try connection.query(statement) }
                try connection.query(
                    "INSERT INTO migrations (version, at) VALUES (?, ?)", [SQLValue(index + 1), .real(now())])
            }
        }
    }
}

/// The statements of each schema's version.
enum Schema {
    @Sendable static func first(_ dialect: SQLDialect) -> [String] {
        tasks(dialect) + deliveries(dialect) + reports(dialect) + people(dialect)
    }

    @Sendable static func second(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE disk (host TEXT NOT NULL, repository TEXT NOT NULL, bytes BIGINT NOT NULL,
                at \(dialect.real) NOT NULL, PRIMARY KEY (host, repository))
            """, "ALTER TABLE deliveries ADD COLUMN digest TEXT",
            "CREATE INDEX deliveries_digest ON deliveries (digest)",
        ]
    }

    @Sendable static func third(_ dialect: SQLDialect) -> [String] {
        // How many bytes a task had written with a piece; zero where an older program wrote it.
        ["ALTER TABLE output ADD COLUMN ends BIGINT NOT NULL DEFAULT 0"]
    }

    @Sendable static func fourth(_ dialect: SQLDialect) -> [String] {
        // What a delivery that was put off is about: later ones about the same wait behind it.
        [
            "ALTER TABLE deliveries ADD COLUMN subject TEXT",
            "CREATE INDEX deliveries_subject ON deliveries (subject, sequence) WHERE outcome = 'pending'",
            "CREATE INDEX deliveries_failed ON deliveries (sequence) WHERE outcome = 'failed'",
        ]
    }

    private static func tasks(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE tasks (id \(dialect.serial), forge TEXT NOT NULL, repository_id BIGINT NOT NULL,
                repository TEXT NOT NULL, issue BIGINT NOT NULL, intent TEXT NOT NULL, state TEXT NOT NULL,
                priority BIGINT NOT NULL, agent TEXT NOT NULL, not_before \(dialect.real), host TEXT, branch TEXT NOT NULL,
                pull_request BIGINT, lease_owner TEXT, lease_until \(dialect.real), fence BIGINT NOT NULL,
                told BIGINT NOT NULL DEFAULT 0, telling_until \(dialect.real), created_at \(dialect.real) NOT NULL,
                updated_at \(dialect.real) NOT NULL, details TEXT NOT NULL,
                UNIQUE (forge, repository_id, issue, intent))
            """,
            """
            CREATE UNIQUE INDEX tasks_live ON tasks (forge, repository_id, issue)
                WHERE state NOT IN ('done', 'failed', 'escalated', 'cancelled')
            """,
            "CREATE INDEX tasks_queue ON tasks (state, priority DESC, created_at)",
            "CREATE INDEX tasks_untold ON tasks (id) WHERE told = 0",
            "CREATE INDEX tasks_branch ON tasks (forge, repository_id, branch)",
            """
            CREATE TABLE executions (id \(dialect.serial), task BIGINT NOT NULL REFERENCES tasks (id), fence BIGINT NOT NULL,
                owner TEXT NOT NULL, started_at \(dialect.real) NOT NULL, ended_at \(dialect.real), outcome TEXT,
                UNIQUE (task, fence))
            """,
            """
            CREATE TABLE agents (session TEXT PRIMARY KEY, task BIGINT NOT NULL REFERENCES tasks (id), profile TEXT NOT NULL,
                host TEXT NOT NULL, state TEXT NOT NULL, since \(dialect.real) NOT NULL)
            """,
            """
            CREATE TABLE projects (forge TEXT NOT NULL, repository_id BIGINT NOT NULL, name TEXT NOT NULL,
                reconciled_at \(dialect.real), PRIMARY KEY (forge, repository_id))
            """,
        ]
    }

    private static func deliveries(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE deliveries (sequence \(dialect.serial), forge TEXT NOT NULL, id TEXT NOT NULL, event TEXT NOT NULL,
                body \(dialect.blob) NOT NULL, received_at \(dialect.real) NOT NULL, outcome TEXT NOT NULL, reason TEXT,
                tries BIGINT NOT NULL DEFAULT 0, taken_until \(dialect.real), UNIQUE (forge, id))
            """,
            "CREATE INDEX deliveries_pending ON deliveries (sequence) WHERE outcome = 'pending'",
        ]
    }

    private static func reports(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE activity (id \(dialect.serial), at \(dialect.real) NOT NULL, task BIGINT, kind TEXT NOT NULL,
                actor TEXT NOT NULL, message TEXT NOT NULL, state TEXT)
            """,
            "CREATE INDEX activity_task ON activity (task, id)",
            """
            CREATE TABLE usage (id \(dialect.serial), at \(dialect.real) NOT NULL, task BIGINT NOT NULL, forge TEXT NOT NULL,
                repository_id BIGINT NOT NULL, input_tokens BIGINT NOT NULL, output_tokens BIGINT NOT NULL,
                cost \(dialect.real) NOT NULL)
            """,
            "CREATE INDEX usage_repository ON usage (forge, repository_id, at)",
            """
            CREATE TABLE acts (key TEXT PRIMARY KEY, task BIGINT NOT NULL, started_at \(dialect.real) NOT NULL, result TEXT,
                finished_at \(dialect.real))
            """,
            """
            CREATE TABLE output (id \(dialect.serial), task BIGINT NOT NULL, at \(dialect.real) NOT NULL, text TEXT NOT NULL)
            """,
            "CREATE INDEX output_task ON output (task, id)",
        ]
    }

    private static func people(_ dialect: SQLDialect) -> [String] {
        [
            """
            CREATE TABLE sessions (token TEXT PRIMARY KEY, login TEXT NOT NULL, role TEXT NOT NULL, repositories TEXT NOT NULL,
                csrf TEXT NOT NULL, created_at \(dialect.real) NOT NULL, expires_at \(dialect.real) NOT NULL)
            """,
            "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
        ]
    }
}
