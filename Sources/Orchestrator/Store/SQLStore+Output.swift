package import FoundationEssentials

/// A piece of what an agent wrote.
package struct OutputPiece: Hashable, Sendable, Codable {
    /// Given by the store, growing.
    package var id: Int64
    package var at: Date
    package var text: String
}

/// What a task's agents may leave in the store, in bytes. Between its beginning and its end nothing is kept, and how much that was is said there.
package enum OutputLimits {
    package static let beginning: Int64 = 1 << 20
    package static let end: Int64 = 3 << 20
    /// What is too much is removed by so much at once.
    static let step: Int64 = 256 << 10

    /// Stands where something was.
    package static func omission(_ bytes: Int64) -> String { "[… \(bytes) bytes are left out here …]\n" }
}

extension SQLStore {
    package func append(output text: String, of task: Int64) async throws {
        try await write { try Self.append(text, of: task, $0) }
    }

    static func append(_ text: String, of task: Int64, _ connection: any SQLConnection) throws {
        let size = Int64(text.utf8.count)
        let rows = try connection.query(
            """
            INSERT INTO output (task, at, text, ends) VALUES (?, ?, ?,
                COALESCE((SELECT ends FROM output WHERE task = ? ORDER BY id DESC LIMIT 1), 0) + ?) RETURNING ends
            """, [.integer(task), .real(now()), .text(text), .integer(task), .integer(size)])
        let end = rows.first?.integer("ends") ?? 0
        if end > OutputLimits.beginning + OutputLimits.end, end / OutputLimits.step > (end - size) / OutputLimits.step {
            try connection.execute(
                "DELETE FROM output WHERE task = ? AND ends > ? AND ends <= ?",
                [.integer(task), .integer(OutputLimits.beginning), .integer(end - OutputLimits.end)])
        }
        try connection.announce(task)
    }

    /// How much a task had written with its last piece, or with the last one before another.
    private static func outputEnd(of task: Int64, before id: Int64?, _ connection: any SQLConnection) throws -> Int64 {
        try connection.query(
            "SELECT ends FROM output WHERE task = ? AND id < ? ORDER BY id DESC LIMIT 1",
            [.integer(task), .integer(id ?? Int64.max)]
        ).first?.integer("ends") ?? 0
    }

    /// The number of the last piece that there is; 0 where there is none.
    package func lastOutput(of task: Int64) async throws -> Int64 {
        try await read { connection in
            try connection.query("SELECT MAX(id) AS id FROM output WHERE task = ?", [.integer(task)]).first?.integer(
                "id")
                ?? 0
        }
    }

    /// Takes back what comes after a piece: it is read again from the agent's own log.
    package func removeOutput(of task: Int64, after id: Int64) async throws {
        try await write {
            try $0.execute("DELETE FROM output WHERE task = ? AND id > ?", [.integer(task), .integer(id)])
        }
    }

    /// The pieces behind a number, the oldest first; where some are not kept any more, the next one says so.
    package func output(of task: Int64, after id: Int64, limit: Int) async throws -> [OutputPiece] {
        try await read { connection in
            let rows = try connection.query(
                "SELECT * FROM output WHERE task = ? AND id > ? ORDER BY id LIMIT ?",
                [.integer(task), .integer(id), SQLValue(limit)])
            guard let first = rows.first?.integer("id") else { return [] }
            var end = try Self.outputEnd(of: task, before: first, connection)
            return try rows.map { try Self.piece($0, after: &end) }
        }
    }

    private static func piece(_ row: SQLRow, after end: inout Int64) throws -> OutputPiece {
        let text = try row.required("text", SQLRow.text)
        let ends = row.integer("ends") ?? 0
        let missing = ends - Int64(text.utf8.count) - end
        end = ends
        return OutputPiece(
            id: try row.required("id", SQLRow.integer), at: try row.required("at", SQLRow.date),
            text: missing > 0 ? OutputLimits.omission(missing) + text : text)
    }
}
