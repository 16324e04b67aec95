/// One transaction on one connection of an engine. Statements name their arguments by `?`.
protocol SQLConnection {
    @discardableResult
    func query(_ statement: String, _ arguments: [SQLValue]) throws -> [SQLRow]
    /// Runs a statement of which nobody reads a row. It may be sent with the next one, or with the commit: what is wrong with it is thrown there.
    func execute(_ statement: String, _ arguments: [SQLValue]) throws
    /// Tells listeners that a task has changed, once the transaction is committed.
    func announce(_ task: Int64) throws
}

extension SQLConnection {
    @discardableResult
    func query(_ statement: String) throws -> [SQLRow] { try query(statement, []) }

    func execute(_ statement: String, _ arguments: [SQLValue]) throws { try query(statement, arguments) }
}

/// A database engine. Nothing of it runs on Swift's cooperative threads: its statements block.
protocol SQLEngine: Sendable {
    var dialect: SQLDialect { get }
    /// A transaction that writes: all of it or nothing, durable when this returns. Cancellation of the caller does not cut it short.
    func write<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value) async throws -> Value
    /// Tasks that change from now on; 0 says that changes may have been missed.
    func changes() async throws -> AsyncStream<Int64>
    /// The same of one task alone.
    func changes(of task: Int64) async throws -> AsyncStream<Int64>
}

/// What the engines write differently.
enum SQLDialect: Sendable {
    case sqlite
    case postgresql

    /// A column that numbers its rows.
    var serial: String {
        switch self {
        case .sqlite: "INTEGER PRIMARY KEY AUTOINCREMENT"
        case .postgresql: "BIGSERIAL PRIMARY KEY"
        }
    }

    var real: String { self == .sqlite ? "REAL" : "DOUBLE PRECISION" }
    var blob: String { self == .sqlite ? "BLOB" : "BYTEA" }
    /// Takes rows for this transaction and passes over those that another one has.
    var skipLocked: String { self == .sqlite ? "" : "FOR UPDATE SKIP LOCKED" }
    /// Takes rows for this transaction. SQLite has one writer at a time.
    var forUpdate: String { self == .sqlite ? "" : "FOR UPDATE" }
}

/// Why a statement failed.
struct SQLError: Error, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        /// Another transaction came first: the same may succeed now.
        case contention
        /// The server is away, or the file cannot be used.
        case unavailable
        case other
    }

    var kind: Kind
    /// The engine's own words; they hold no argument of a statement.
    var message: String

    var description: String { message }
}
