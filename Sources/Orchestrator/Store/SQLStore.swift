import FoundationEssentials

/// The store, on either engine.
package struct SQLStore: TaskStore {
    let engine: any SQLEngine
    let recorder: DeliveryRecorder

    private init(_ engine: some SQLEngine) async throws {
        do {
            try await Migrations().run(on: engine)
        } catch let error as SQLError {
            throw OrchestratorError(
                .unavailable, "the store cannot be used", cause: error.message,
                hint: "check `store` in the configuration, and that the database server runs and lets so in")
        }
        self.engine = engine
        recorder = DeliveryRecorder(engine)
    }

    /// Opens a store in a file of this host, and makes it where there is none.
    package static func sqlite(path: String) async throws -> SQLStore {
        try await SQLStore(SQLiteEngine(path: path))
    }

    /// Opens a store on a PostgreSQL server.
    ///
    /// - Parameter password: where the address, `PGPASSWORD` or a password file does not hold it.
    package static func postgresql(address: String, password: String? = nil) async throws -> SQLStore {
        let engine: PostgresEngine
        do { engine = try PostgresEngine(PostgresAddress(text: address, password: password)) } catch {
            throw error.told
        }
        return try await SQLStore(engine)
    }

    package func check() async throws {
        try await read { _ = try $0.query("SELECT 1 AS one") }
    }

    package func changes() async throws -> AsyncStream<Int64> { try await told { try await engine.changes() } }

    package func changes(of task: Int64) async throws -> AsyncStream<Int64> {
        try await told { try await engine.changes(of: task) }
    }

    @discardableResult
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await told { try await engine.write(body) }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await told { try await engine.read(body) }
    }

    private func told<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let error as SQLError { throw error.told }
    }
}

extension SQLError {
    /// As the store's callers see it.
    var told: OrchestratorError {
        switch kind {
        case .unavailable, .contention:
            OrchestratorError(
                .unavailable, "the store does not answer", cause: message,
                hint: "check that the database runs and that its disk is not full")
        case .other: OrchestratorError(.failed, "the store refused a statement", cause: message)
        }
    }
}

/// Seconds since 1970, as the store keeps times.
func now() -> Double { Date().timeIntervalSince1970 }

extension SQLValue {
    init(_ date: Date?) { self.init(date?.timeIntervalSince1970) }
}

extension SQLRow {
    func date(_ column: String) -> Date? { real(column).map { Date(timeIntervalSince1970: $0) } }

    /// A value that every row has; its absence is a fault of the store's.
    func required<Value>(_ column: String, _ value: (SQLRow) -> (String) -> Value?) throws -> Value {
        guard let found = value(self)(column) else {
            throw SQLError(kind: .other, message: "the column \(column) holds no such value")
        }
        return found
    }

    func word<Value: RawRepresentable>(_ column: String, _: Value.Type) throws -> Value where Value.RawValue == String {
        guard let found = text(column).flatMap({ Value(rawValue: $0) }) else {
            throw SQLError(kind: .other, message: "the column \(column) holds `\(text(column) ?? "nothing")`")
        }
        return found
    }
}
