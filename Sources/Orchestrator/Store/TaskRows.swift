import FoundationEssentials

/// Tasks as rows, within one transaction.
struct TaskRows {
    let connection: any SQLConnection
    let dialect: SQLDialect

    init(_ connection: any SQLConnection, _ dialect: SQLDialect) {
        self.connection = connection
        self.dialect = dialect
    }

    /// The task's row, kept from other transactions until this one ends.
    func locked(_ id: Int64) throws -> IssueTask {
        let rows = try connection.query("SELECT * FROM tasks WHERE id = ? \(dialect.forUpdate)", [.integer(id)])
        guard let row = rows.first else { throw Self.unknown(id) }
        return try IssueTask(row)
    }

    /// The task's fence, kept from other transactions until this one ends; nil where the store has no such task.
    func fence(_ id: Int64) throws -> Int64? {
        try connection.query("SELECT fence FROM tasks WHERE id = ? \(dialect.forUpdate)", [.integer(id)]).first?
            .integer("fence")
    }

    static func unknown(_ id: Int64) -> OrchestratorError {
        OrchestratorError(.missing, "no task \(id)", hint: "so orchestrator tasks")
    }

    /// Writes everything of a task but what identifies it.
    func write(_ task: IssueTask) throws {
        try connection.execute(
            """
            UPDATE tasks SET repository = ?, state = ?, priority = ?, agent = ?, not_before = ?, host = ?, branch = ?,
                pull_request = ?, lease_owner = ?, lease_until = ?, fence = ?, updated_at = ?, details = ?,
                told = CASE WHEN state = ? THEN told ELSE 0 END WHERE id = ?
            """,
            [
                .text(task.issue.repository.name), .text(task.state.rawValue), SQLValue(task.priority),
                .text(task.agent), SQLValue(task.notBefore), SQLValue(task.details.host), .text(task.details.branch),
                SQLValue(task.details.pullRequest.map { Int64($0.number) }), SQLValue(task.lease?.owner),
                SQLValue(task.lease?.until), .integer(task.fence), .real(now()), .text(try task.details.json()),
                .text(task.state.rawValue), .integer(task.id),
            ])
        try connection.announce(task.id)
    }

    /// Writes what comes with a task.
    func append(_ step: TaskStep, of task: Int64) throws {
        if !step.output.isEmpty { try SQLStore.append(step.output, of: task, connection) }
        for activity in step.activities { try append(activity) }
        if let agent = step.agent { try SQLStore.record(agent, connection) }
    }

    func insert(_ new: NewTask) throws -> Int64? {
        let at = now()
        let rows = try connection.query(
            """
            INSERT INTO tasks (forge, repository_id, repository, issue, intent, state, priority, agent, branch, fence,
                created_at, updated_at, details) VALUES (?, ?, ?, ?, ?, 'received', ?, ?, ?, 0, ?, ?, ?)
            ON CONFLICT DO NOTHING RETURNING id
            """,
            [
                .text(new.forge.rawValue), .integer(new.issue.repository.id), .text(new.issue.repository.name),
                SQLValue(new.issue.number), .text(new.intent), SQLValue(new.priority), .text(new.agent),
                .text(new.details.branch), .real(at), .real(at), .text(try new.details.json()),
            ])
        return rows.first?.integer("id")
    }

    func find(_ target: IssueTarget, _ forge: ForgeKind) throws -> IssueTask? {
        if case .commit(let repository, let commit) = target { return try standing(at: commit, repository, forge) }
        let (column, repository, value): (String, RepositoryReference, SQLValue) =
            switch target {
            case .issue(let issue): ("issue", issue.repository, SQLValue(issue.number))
            case .branch(let repository, let branch): ("branch", repository, .text(branch))
            case .pullRequest(let repository, let number): ("pull_request", repository, SQLValue(number))
            case .commit: throw Self.unknown(0)
            }
        let rows = try connection.query(
            """
            SELECT * FROM tasks WHERE forge = ? AND repository_id = ? AND \(column) = ?
            ORDER BY CASE WHEN state IN ('done', 'failed', 'escalated', 'cancelled') THEN 1 ELSE 0 END, id DESC LIMIT 1
            """, [.text(forge.rawValue), .integer(repository.id), value])
        return try rows.first.map { try IssueTask($0) }
    }

    /// Of the few that are in review: the commit has no column of its own.
    private func standing(
        at commit: String, _ repository: RepositoryReference, _ forge: ForgeKind
    ) throws -> IssueTask? {
        try connection.query(
            "SELECT * FROM tasks WHERE forge = ? AND repository_id = ? AND state = 'review' ORDER BY id DESC",
            [.text(forge.rawValue), .integer(repository.id)]
        ).map { try IssueTask($0) }.first { $0.details.pullRequest?.head == commit }
    }

    func append(_ activity: Activity) throws {
        try connection.execute(
            "INSERT INTO activity (at, task, kind, actor, message, state) VALUES (?, ?, ?, ?, ?, ?)",
            [
                SQLValue(activity.at), SQLValue(activity.task), .text(activity.kind.rawValue), .text(activity.actor),
                .text(activity.message), SQLValue(activity.state?.rawValue),
            ])
        if let task = activity.task { try connection.announce(task) }
    }
}

extension IssueTask {
    init(_ row: SQLRow) throws {
        let fence = try row.required("fence", SQLRow.integer)
        let issue = IssueReference(
            RepositoryReference(
                id: try row.required("repository_id", SQLRow.integer), name: try row.required("repository", SQLRow.text)
            ),
            number: Int(try row.required("issue", SQLRow.integer)))
        self.init(
            id: try row.required("id", SQLRow.integer), forge: try row.word("forge", ForgeKind.self), issue: issue,
            state: try row.word("state", TaskState.self), priority: Int(try row.required("priority", SQLRow.integer)),
            agent: try row.required("agent", SQLRow.text), notBefore: row.date("not_before"),
            details: try TaskDetails(json: try row.required("details", SQLRow.text)),
            createdAt: try row.required("created_at", SQLRow.date),
            updatedAt: try row.required("updated_at", SQLRow.date))
        self.fence = fence
        if let owner = row.text("lease_owner"), let until = row.date("lease_until") {
            lease = TaskLease(owner: owner, until: until, fence: fence)
        }
    }
}

extension TaskDetails {
    init(json: String) throws {
        do {
            self = try JSONDecoder().decode(TaskDetails.self, from: Data(json.utf8))
        } catch {
            throw SQLError(kind: .other, message: "the details of a task cannot be read: \(error)")
        }
    }

    func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}
