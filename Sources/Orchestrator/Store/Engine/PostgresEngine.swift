import Dispatch
import Synchronization

/// PostgreSQL by libpq: a few connections, each with a thread of its own, one more that listens, and one that tells.
final class PostgresEngine: SQLEngine {
    private let workers: PostgresWorkers
    private let listener: PostgresListener
    private let notifier: PostgresNotifier

    var dialect: SQLDialect { .postgresql }

    /// - Throws: ``SQLError`` (`unavailable`) where this host has no libpq.
    init(_ address: PostgresAddress, connections: Int = 6) throws(SQLError) {
        let workers = try (0..<connections).map { (number) throws(SQLError) in
            try PostgresWorker(address, number: number)
        }
        self.workers = PostgresWorkers(workers)
        listener = try PostgresListener(address)
        notifier = try PostgresNotifier(address)
    }

    func write<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let (value, tasks) = try await run { connection in try repeated(connection, body) }
        notifier.tell(tasks)
        return value
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await run { connection in try asked(connection, body) }
    }

    func changes() async throws -> AsyncStream<Int64> { try await listener.changes(of: nil) }

    func changes(of task: Int64) async throws -> AsyncStream<Int64> { try await listener.changes(of: task) }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async throws -> Value {
        let worker = await workers.take()
        let result = await worker.run(body)
        await workers.give(back: worker)
        return try result.get()
    }
}

/// The workers that have nothing to do, and the callers that wait for one.
private actor PostgresWorkers {
    private var idle: [PostgresWorker]
    private var waiting: [CheckedContinuation<PostgresWorker, Never>] = []

    init(_ workers: [PostgresWorker]) { idle = workers }

    func take() async -> PostgresWorker {
        if let worker = idle.popLast() { return worker }
        return await withCheckedContinuation { waiting.append($0) }
    }

    func give(back worker: PostgresWorker) {
        if waiting.isEmpty { idle.append(worker) } else { waiting.removeFirst().resume(returning: worker) }
    }
}

/// One connection and the queue that alone touches it.
private final class PostgresWorker: Sendable {
    private let queue: DispatchQueue
    private let connection: Mutex<PostgresConnection>

    init(_ address: PostgresAddress, number: Int) throws(SQLError) {
        queue = DispatchQueue(label: "so.postgresql.\(number)")
        connection = Mutex(try PostgresConnection(address))
    }

    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgresConnection) throws -> Value
    ) async -> Result<Value, any Error> {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(
                    returning: self.connection.withLock { connection in Result { try body(connection) } })
            }
        }
    }
}

/// Reads without a transaction: each statement sees what was committed before it, in one as well, and two round trips are spared.
private func asked<Value>(
    _ connection: PostgresConnection, _ body: (any SQLConnection) throws -> Value
) throws -> Value {
    try connection.open()
    do {
        return try body(PostgresTransaction(connection, beginning: []))
    } catch let error as SQLError where error.kind == .unavailable {
        // The server was restarted since the last question.
        try connection.open()
        return try body(PostgresTransaction(connection, beginning: []))
    }
}

/// Repeats a transaction that another one came before, and one whose connection was lost before it began.
private func repeated<Value>(
    _ connection: PostgresConnection, _ body: (any SQLConnection) throws -> Value
) throws -> (Value, Set<Int64>) {
    var left = 5
    while true {
        try connection.open()
        let transaction = PostgresTransaction(connection, beginning: [PostgresStatement("BEGIN")])
        do {
            return (try completed(transaction, body), transaction.announced)
        } catch let error as SQLError where left > 0 {
            guard error.kind == .contention || error.kind == .unavailable && transaction.isUnbegun else { throw error }
            left = error.kind == .contention ? left - 1 : 0
        }
    }
}

private func completed<Value>(
    _ transaction: PostgresTransaction, _ body: (any SQLConnection) throws -> Value
) throws -> Value {
    do {
        let value = try body(transaction)
        try transaction.commit()
        return value
    } catch {
        // What failed is told; a connection that is lost has rolled back by itself.
        transaction.rollBack()
        throw error
    }
}

/// A transaction on a worker's thread. What nobody waits for is sent with what somebody does.
private final class PostgresTransaction: SQLConnection {
    let connection: PostgresConnection
    private var unsent: [PostgresStatement]
    /// Nothing of it was done, and nothing will be.
    private(set) var isUnbegun = true
    /// Told when it has ended, each once.
    private(set) var announced: Set<Int64> = []

    init(_ connection: PostgresConnection, beginning: [PostgresStatement]) {
        self.connection = connection
        unsent = beginning
    }

    func query(_ statement: String, _ arguments: [SQLValue]) throws -> [SQLRow] {
        try execute(statement, arguments)
        return try send()
    }

    func execute(_ statement: String, _ arguments: [SQLValue]) throws {
        unsent.append(PostgresStatement(numbered(statement), arguments))
    }

    func announce(_ task: Int64) { announced.insert(task) }

    private func send() throws -> [SQLRow] {
        defer { unsent = [] }
        let rows = try connection.execute(unsent)
        isUnbegun = false
        return rows
    }

    /// Whether it was done is not known where the connection is lost meanwhile.
    func commit() throws {
        isUnbegun = false
        unsent.append(PostgresStatement("COMMIT"))
        _ = try send()
    }

    func rollBack() { _ = try? connection.execute(PostgresStatement("ROLLBACK")) }
}

/// `?` as `$1`, `$2`, …: no statement of the store has one inside a text.
private func numbered(_ statement: String) -> String {
    var result = ""
    var count = 0
    for piece in statement.split(separator: "?", omittingEmptySubsequences: false) {
        if count > 0 { result += "$\(count)" }
        result += piece
        count += 1
    }
    return result
}
