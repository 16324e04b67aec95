import TestSupport
import Testing

@testable import Orchestrator

/// Statements that are sent together, and connections that a server has closed.
@Suite struct PostgresEngineTests {
    private func withEngine(_ body: (PostgresEngine) async throws -> Void) async throws {
        try await withPostgres { server in
            let engine = try PostgresEngine(PostgresAddress(text: server.address))
            _ = try await engine.write { try $0.query("CREATE TABLE things (id BIGINT PRIMARY KEY)") }
            try await body(engine)
        }
    }

    private func things(_ engine: PostgresEngine) async throws -> [Int64?] {
        try await engine.read { try $0.query("SELECT id FROM things ORDER BY id").map { $0.integer("id") } }
    }

    @Test func `what is wrong with a statement that nobody waits for is thrown, and its transaction leaves nothing`()
        async throws
    {
        try await withEngine { engine in
            await #expect(throws: SQLError.self) {
                try await engine.write { connection in
                    try connection.execute("INSERT INTO things VALUES (?)", [.integer(1)])
                    try connection.execute("INSERT INTO things VALUES (?)", [.integer(1)])
                    try connection.execute("INSERT INTO things VALUES (?)", [.integer(2)])
                }
            }
            #expect(try await things(engine) == [])
            // What was written is seen by what is read next, and nothing of the failure is left on the connection.
            let seen = try await engine.write { connection in
                try connection.execute("INSERT INTO things VALUES (?)", [.integer(3)])
                return try connection.query("SELECT COUNT(*) AS count FROM things").first?.integer("count")
            }
            #expect(seen == 1)
            #expect(try await things(engine) == [3])
        }
    }

    @Test func `a server that has closed a connection meanwhile is asked again`() async throws {
        try await withEngine { engine in
            for number in Int64(1)...3 {
                // Those of all workers but the one that asks.
                _ = try await engine.read { connection in
                    try connection.query(
                        """
                        SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
                        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'
                        """)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for place in Int64(0)..<6 {
                        group.addTask {
                            try await engine.write { connection in
                                try connection.execute("INSERT INTO things VALUES (?)", [.integer(number * 10 + place)])
                                if place % 2 == 0 { try connection.query("SELECT 1 AS one") }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(try await things(engine).count == 18)
        }
    }
}
