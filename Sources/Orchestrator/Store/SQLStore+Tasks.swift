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
        var conditions = ["1 = 1"]
        var arguments: [SQLValue] = []
        if !query.states.isEmpty {
            conditions.append("state IN (\(placeholders(query.states.count)))")
            arguments += query.states.map { .text($0.rawValue) }
        }
        if let repository = query.repository {
            conditions.append("repository = ?")
            arguments.append(.text(repository))
        }
        if let agent = query.agent {
            conditions.append("agent = ?")
            arguments.append(.text(agent))
        }
        if let before = query.before {
            conditions.append("id < ?")
            arguments.append(.integer(before))
        }
        arguments.append(SQLValue(query.limit))
        let statement =
            "SELECT * FROM tasks WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?"
        return try await read { [arguments] in try $0.query(statement, arguments).map { try IssueTask($0) } }
    }

    package func apply(_ effect: TaskEffect) async throws {
        let dialect = engine.dialect
        try await write { try TaskChanges($0, dialect).apply(effect) }
    }
}

/// `?, ?, ?`
func placeholders(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
