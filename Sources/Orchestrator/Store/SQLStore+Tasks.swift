import FoundationEssentials

extension SQLStore {
    package func create(_ task: NewTask, by actor: String) async throws -> (task: IssueTask, isNew: Bool) {
        let dialect = engine.dialect
        return try await write { connection in
            let rows = TaskRows(connection, dialect)
            let isNew = try TaskChanges(connection, dialect).create(task, by: actor)
            guard let found = try rows.find(.issue(task.issue), task.forge) else { throw TaskRows.unknown(0) }
            return (found, isNew)
        }
    }

    package func task(_ id: Int64) async throws -> IssueTask {
        let found = try await read { connection in
            try connection.query("SELECT * FROM tasks WHERE id = ?", [.integer(id)]).first.map { try IssueTask($0) }
        }
        guard let found else { throw TaskRows.unknown(id) }
        return found
    }

    package func task(of target: IssueTarget, forge: ForgeKind) async throws -> IssueTask? {
        let dialect = engine.dialect
        return try await read { try TaskRows($0, dialect).find(target, forge) }
    }

    package func tasks(_ query: TaskQuery) async throws -> [IssueTask] {
        let (conditions, arguments) = query.conditions
        let statement = "SELECT * FROM tasks WHERE \(conditions) ORDER BY id DESC LIMIT ?"
        return try await read { connection in
            try connection.query(statement, arguments + [SQLValue(query.limit)]).map { try IssueTask($0) }
        }
    }

    /// How many tasks a query would find without its limit.
    package func count(_ query: TaskQuery) async throws -> Int {
        let (conditions, arguments) = query.conditions
        return try await read { connection in
            let rows = try connection.query("SELECT COUNT(*) AS count FROM tasks WHERE \(conditions)", arguments)
            return Int(rows.first?.integer("count") ?? 0)
        }
    }

    package func apply(_ effect: TaskEffect) async throws {
        let dialect = engine.dialect
        try await write { try TaskChanges($0, dialect).apply(effect) }
    }
}

extension TaskQuery {
    fileprivate var conditions: (String, [SQLValue]) {
        var conditions = ["1 = 1"]
        var arguments: [SQLValue] = []
        func add(_ condition: String, _ values: [SQLValue]) {
            conditions.append(condition)
            arguments += values
        }
        func oneOf(_ column: String, _ values: [String]) {
            add(values.isEmpty ? "1 = 0" : "\(column) IN (\(placeholders(values.count)))", values.map { .text($0) })
        }
        if !states.isEmpty { oneOf("state", states.map(\.rawValue)) }
        if let repository { add("LOWER(repository) = ?", [.text(repository.lowercased())]) }
        if let repositories { oneOf("LOWER(repository)", repositories.map { $0.lowercased() }) }
        if let agent { add("agent = ?", [.text(agent)]) }
        if let before { add("id < ?", [.integer(before)]) }
        return (conditions.joined(separator: " AND "), arguments)
    }
}

/// `?, ?, ?`
func placeholders(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
