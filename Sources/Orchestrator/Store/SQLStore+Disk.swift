extension [String: Int64] {
    /// Of a repository, however its name is spelled.
    func bytes(of repository: String) -> Int64 {
        reduce(0) { $1.key.lowercased() == repository.lowercased() ? $0 + $1.value : $0 }
    }
}

extension SQLStore {
    /// Writes down what a repository takes of a host's disk.
    package func set(diskUse bytes: Int64, of repository: String, on host: String) async throws {
        try await write { connection in
            try connection.query(
                """
                INSERT INTO disk (host, repository, bytes, at) VALUES (?, ?, ?, ?)
                ON CONFLICT (host, repository) DO UPDATE SET bytes = excluded.bytes, at = excluded.at
                """, [.text(host), .text(repository), .integer(bytes), .real(now())])
        }
    }

    /// What repositories take of a host's disk; of all hosts together where none is named.
    package func diskUse(on host: String? = nil) async throws -> [String: Int64] {
        let condition = host == nil ? "" : "WHERE host = ?"
        let arguments = host.map { [SQLValue.text($0)] } ?? []
        return try await read { connection in
            var found: [String: Int64] = [:]
            let rows = try connection.query(
                "SELECT repository, SUM(bytes) AS bytes FROM disk \(condition) GROUP BY repository", arguments)
            for row in rows { found[row.text("repository") ?? ""] = row.integer("bytes") }
            return found
        }
    }
}
