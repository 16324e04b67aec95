import CLibPQ
import Dispatch
import Synchronization

/// Where a PostgreSQL server is.
struct PostgresAddress: Hashable, Sendable {
    /// A connection string or `postgresql://` address.
    var text: String
    /// Read from a file of its own; nil where the address, the environment or a password file holds it.
    var password: String?
}

/// A statement with its arguments as `$1`, `$2`, ….
struct PostgresStatement: Sendable {
    var text: String
    var arguments: [SQLValue] = []

    init(_ text: String, _ arguments: [SQLValue] = []) {
        self.text = text
        self.arguments = arguments
    }
}

/// One connection to the server, used by one thread at a time.
final class PostgresConnection {
    private var handle: OpaquePointer?
    private let address: PostgresAddress
    private let library: libpq_functions

    /// - Throws: ``SQLError`` (`unavailable`) where this host has no libpq.
    init(_ address: PostgresAddress) throws(SQLError) {
        self.address = address
        library = try PostgresLibrary.functions()
    }

    deinit { library.PQfinish(handle) }

    /// Connects where that was not done yet or the server went away.
    func open() throws {
        if isOpen { return }
        library.PQfinish(handle)
        handle = nil
        let new = connect(address)
        guard let new, library.PQstatus(new) == CONNECTION_OK else {
            let message = new.flatMap { library.PQerrorMessage($0) }.map { String(cString: $0) } ?? "out of memory"
            library.PQfinish(new)
            throw SQLError(kind: .unavailable, message: message.trimmedLine)
        }
        // The server's notices would go to standard error.
        _ = library.PQsetNoticeProcessor(new, { _, _ in }, nil)
        handle = new
    }

    /// A server that has ended says so, and closes: the first look finds its last words, the second the end. Does not wait.
    private var isOpen: Bool {
        guard let handle, library.PQstatus(handle) == CONNECTION_OK else { return false }
        return library.PQconsumeInput(handle) == 1 && library.PQconsumeInput(handle) == 1
            && library.PQstatus(handle) == CONNECTION_OK
    }

    private func connect(_ address: PostgresAddress) -> OpaquePointer? {
        var keywords = ["dbname", "application_name", "connect_timeout", "client_encoding"]
        var values = [address.text, "so orchestrator", "10", "UTF8"]
        if let password = address.password {
            keywords.append("password")
            values.append(password)
        }
        return withCStrings(keywords) { keywords in
            withCStrings(values) { values in library.PQconnectdbParams(keywords, values, 1) }
        }
    }

    var socket: Int32 { handle.map { library.PQsocket($0) } ?? -1 }

    /// What other sessions have notified; nil where the connection is lost. Does not wait.
    func notifications() -> [String]? {
        guard let handle, library.PQconsumeInput(handle) == 1 else { return nil }
        var payloads: [String] = []
        while let notice = library.PQnotifies(handle) {
            payloads.append(String(cString: notice.pointee.extra))
            library.PQfreemem(notice)
        }
        return payloads
    }

    /// Runs one statement; arguments go as parameters, never as text of it.
    @discardableResult
    func execute(_ statement: PostgresStatement) throws -> [SQLRow] {
        guard let handle else { throw SQLError(kind: .unavailable, message: "not connected") }
        let result = PostgresArguments(statement.arguments).withPointers { count, types, values, lengths, formats in
            library.PQexecParams(handle, statement.text, count, types, values, lengths, formats, 0)
        }
        defer { library.PQclear(result) }
        return try rows(result)
    }

    /// Runs statements in one exchange with the server. The first that fails ends it.
    ///
    /// - Returns: the rows of the last.
    @discardableResult
    func execute(_ statements: [PostgresStatement]) throws -> [SQLRow] {
        if statements.count == 1 { return try execute(statements[0]) }
        guard let handle, library.PQenterPipelineMode(handle) == 1 else { throw failure(nil) }
        defer { _ = library.PQexitPipelineMode(handle) }
        for statement in statements {
            let isSent = PostgresArguments(statement.arguments).withPointers { count, types, values, lengths, formats in
                library.PQsendQueryParams(handle, statement.text, count, types, values, lengths, formats, 0)
            }
            guard isSent == 1 else { throw failure(nil) }
        }
        guard library.PQpipelineSync(handle) == 1 else { throw failure(nil) }
        return try gathered(handle)
    }

    /// Reads to the end of an exchange, also behind what has failed: nothing of it may be left to the next.
    private func gathered(_ handle: OpaquePointer) throws -> [SQLRow] {
        var last: Result<[SQLRow], any Error> = .success([])
        while true {
            guard let result = library.PQgetResult(handle) else {
                // The end of one statement's result.
                if library.PQstatus(handle) == CONNECTION_OK { continue }
                _ = try last.get()
                throw failure(nil)
            }
            defer { library.PQclear(result) }
            if library.PQresultStatus(result) == PGRES_PIPELINE_SYNC { return try last.get() }
            if case .success = last { last = Result { try rows(result) } }
        }
    }

    private func rows(_ result: OpaquePointer?) throws -> [SQLRow] {
        switch library.PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return result.map { PostgresRows.read($0, library) } ?? []
        default: throw failure(result)
        }
    }

    private func failure(_ result: OpaquePointer?) -> SQLError {
        let state = library.PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } ?? ""
        let message = library.PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
        let isGone = handle.map { library.PQstatus($0) != CONNECTION_OK } ?? true
        let kind: SQLError.Kind =
            if ["40001", "40P01"].contains(state) {
                .contention
            } else if isGone || state.hasPrefix("57P") || state.hasPrefix("53") || state.hasPrefix("08") {
                .unavailable
            } else {
                .other
            }
        let text =
            message ?? handle.flatMap { library.PQerrorMessage($0) }.map { String(cString: $0) }
            ?? "the connection was lost"
        return SQLError(kind: kind, message: text.trimmedLine + (state.isEmpty ? "" : " (SQLSTATE \(state))"))
    }
}

extension String {
    /// On one line, without a newline at the end.
    var trimmedLine: String { split(whereSeparator: \.isNewline).joined(separator: "; ") }
}

/// Calls `body` with a null-terminated array of C strings.
func withCStrings<Value>(
    _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
) -> Value {
    let copies = texts.map { text in
        let buffer = UnsafeMutableBufferPointer<CChar>.allocate(capacity: text.utf8.count + 1)
        _ = buffer.initialize(from: text.utf8.map { CChar(bitPattern: $0) } + [0])
        return buffer
    }
    defer { for copy in copies { copy.deallocate() } }
    let pointers = copies.map { $0.baseAddress.map { UnsafePointer($0) } } + [nil]
    return pointers.withUnsafeBufferPointer { buffer in
        guard let start = buffer.baseAddress else { preconditionFailure("an array with a terminator has a start") }
        return body(start)
    }
}
