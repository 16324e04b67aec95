import FoundationEssentials
import GRDB

/// SQLite in a file of this host, by GRDB: many readers, one writer, a write-ahead log that is synchronised at every commit.
struct SQLiteEngine: SQLEngine {
    private let pool: DatabasePool
    private let hub = ChangeHub()

    var dialect: SQLDialect { .sqlite }

    /// Opens or makes the file.
    init(path: String) throws {
        var configuration = GRDB.Configuration()
        configuration.busyMode = .timeout(10)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        do {
            pool = try DatabasePool(path: path, configuration: configuration)
        } catch let error as DatabaseError {
            throw OrchestratorError(
                .unavailable, "cannot open the store \(path)", cause: error.message,
                hint: "its directory must exist and be writable, and the file must be a SQLite database")
        }
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let (value, tasks) = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<(Value, Set<Int64>), any Error>) in
            pool.asyncWrite(
                { database in
                    let connection = SQLiteConnection(database)
                    return (try body(connection), connection.announced)
                }, completion: { _, result in continuation.resume(with: result.mapError(Self.translated)) })
        }
        hub.announce(tasks)
        return value
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            pool.asyncRead { database in
                let result = Result { try body(SQLiteConnection(database.get())) }
                continuation.resume(with: result.mapError(Self.translated))
            }
        }
    }

    func changes() -> AsyncStream<Int64> { hub.stream() }

    func changes(of task: Int64) -> AsyncStream<Int64> { hub.stream(of: task) }

    private static func translated(_ error: any Error) -> any Error {
        guard let error = error as? DatabaseError else { return error }
        let kind: SQLError.Kind =
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED: .contention
            case .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_CANTOPEN, .SQLITE_READONLY, .SQLITE_CORRUPT, .SQLITE_NOTADB:
                .unavailable
            default: .other
            }
        return SQLError(kind: kind, message: error.message ?? "SQLite error \(error.resultCode.rawValue)")
    }
}

/// A connection for the length of one transaction, on the engine's own thread.
private final class SQLiteConnection: SQLConnection {
    private let database: Database
    private(set) var announced: Set<Int64> = []

    init(_ database: Database) { self.database = database }

    func query(_ statement: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        let prepared = try database.cachedStatement(sql: statement)
        let values = StatementArguments(arguments.map(\.databaseValue))
        guard prepared.columnCount > 0 else {
            try prepared.execute(arguments: values)
            return []
        }
        var columns: [String: Int] = [:]
        for (index, name) in prepared.columnNames.enumerated() { columns[name] = index }
        return try Row.fetchAll(prepared, arguments: values).map { row in
            SQLRow(columns: columns, values: row.databaseValues.map(SQLValue.init(databaseValue:)))
        }
    }

    func announce(_ task: Int64) { announced.insert(task) }
}

extension SQLValue {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let value): value.databaseValue
        case .real(let value): value.databaseValue
        case .text(let value): value.databaseValue
        case .blob(let value): Data(value).databaseValue
        }
    }

    fileprivate init(databaseValue: DatabaseValue) {
        switch databaseValue.storage {
        case .null: self = .null
        case .int64(let value): self = .integer(value)
        case .double(let value): self = .real(value)
        case .string(let value): self = .text(value)
        case .blob(let value): self = .blob(Array(value))
        }
    }
}
