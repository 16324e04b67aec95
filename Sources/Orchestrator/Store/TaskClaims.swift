import FoundationEssentials

/// Chooses what a replica works on next.
struct TaskClaims {
    private let request: TaskClaim
    private let rows: TaskRows

    init(_ request: TaskClaim, _ rows: TaskRows) {
        self.request = request
        self.rows = rows
    }

    /// Whether there is anything that could be taken, if its limits allowed it.
    func isAnyThere() throws -> Bool {
        let (abandoned, waiting) = (request.abandoned, request.waiting)
        return try !rows.connection.query(
            """
            SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM tasks WHERE \(abandoned.text))
                OR EXISTS (SELECT 1 FROM tasks WHERE \(waiting.text))
            """, abandoned.arguments + waiting.arguments
        ).isEmpty
    }

    func take() throws -> [IssueTask] {
        // The counts of one replica's claim have to hold until its rows are written.
        if rows.dialect == .postgresql { try rows.connection.execute("SELECT pg_advisory_xact_lock(7307202)", []) }
        var taken = try abandoned()
        let chosen = try chosen(besides: taken)
        for row in try locked(chosen) {
            let task = try IssueTask(row)
            // Where only the forge was not there, the agent is not asked again.
            let isWorkDone = task.details.awaitsReport == true && task.details.session != nil
            taken.append(try lease(task, state: isWorkDone ? .reporting : .preparing, "taken by \(request.owner)"))
        }
        return taken
    }

    /// Tasks whose replica does not renew any more; they go on where they are.
    private func abandoned() throws -> [IssueTask] {
        let condition = request.abandoned
        let found = try rows.connection.query(
            "SELECT * FROM tasks WHERE \(condition.text) ORDER BY id LIMIT ? \(rows.dialect.skipLocked)",
            condition.arguments + [SQLValue(request.count)])
        return try found.map { row in
            let task = try IssueTask(row)
            return try lease(task, state: task.state, "taken over by \(request.owner)")
        }
    }

    private func chosen(besides taken: [IssueTask]) throws -> [Int64] {
        guard taken.count < request.count else { return [] }
        var load = try ActiveLoad(rows.connection, request.limits)
        var waiting = try WaitingTasks(rows.connection, request)
        var chosen: [Int64] = []
        while taken.count + chosen.count < request.count, let next = waiting.takeNext(load) {
            load.add(next)
            chosen.append(next.id)
        }
        return chosen
    }

    /// In the order in which they were chosen; one that somebody changes this moment is left to the next claim.
    private func locked(_ ids: [Int64]) throws -> [SQLRow] {
        guard !ids.isEmpty else { return [] }
        let found = try rows.connection.query(
            """
            SELECT * FROM tasks WHERE id IN (\(placeholders(ids.count))) AND state = 'queued' \(rows.dialect.skipLocked)
            """, ids.map { .integer($0) })
        let places = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0) })
        func place(_ row: SQLRow) -> Int { row.integer("id").flatMap { places[$0] } ?? 0 }
        return found.sorted { place($0) < place($1) }
    }

    private func lease(_ task: IssueTask, state: TaskState, _ message: String) throws -> IssueTask {
        var task = task
        task.fence += 1
        // Whatever is begun now is of this host, also where its replica is killed over it.
        task.details.host = request.host
        task.lease = TaskLease(owner: request.owner, until: request.until, fence: task.fence)
        task.state = state
        task.notBefore = nil
        try rows.write(task)
        try rows.append(
            Activity(task: task.id, kind: .transition, actor: request.owner, message: message, state: state))
        return task
    }
}

extension TaskClaim {
    /// Of tasks whose replica does not renew any more.
    fileprivate var abandoned: (text: String, arguments: [SQLValue]) {
        (
            """
            state IN ('preparing', 'working', 'reporting') AND (lease_until IS NULL OR lease_until < ?)
                AND (host IS NULL OR host = ?) \(excludingThoseInHand)
            """, [SQLValue(now), .text(host)] + idsInHand
        )
    }

    /// Of tasks that wait for a replica.
    fileprivate var waiting: (text: String, arguments: [SQLValue]) {
        (
            """
            state = 'queued' AND (not_before IS NULL OR not_before <= ?) AND (host IS NULL OR host = ?)
                \(excludingThoseInHand)
            """, [SQLValue(now), .text(host)] + idsInHand
        )
    }

    private var idsInHand: [SQLValue] { inHand.sorted().map { .integer($0) } }
    private var excludingThoseInHand: String {
        inHand.isEmpty ? "" : "AND id NOT IN (\(placeholders(inHand.count)))"
    }
}

/// What is active over all replicas, and what its limits leave. Repositories are the same however they are spelled.
private struct ActiveLoad {
    private let limits: TaskLimits
    private let paused: Set<String>
    private let ofRepository: [String: Int]
    private var repositories: [String: Int] = [:]
    private var agents: [String: Int] = [:]
    private var total = 0

    init(_ connection: any SQLConnection, _ limits: TaskLimits) throws {
        self.limits = limits
        paused = Set(limits.paused.map { $0.lowercased() })
        ofRepository = Dictionary(limits.repositories.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: min)
        let active = try connection.query(
            """
            SELECT repository, agent, COUNT(*) AS count FROM tasks WHERE state IN ('preparing', 'working', 'reporting')
            GROUP BY repository, agent
            """)
        for row in active {
            add(
                (row.text("repository") ?? "").lowercased(), row.text("agent") ?? "",
                count: Int(row.integer("count") ?? 0))
        }
    }

    mutating func add(_ task: WaitingTasks.Waiting) { add(task.repository, task.agent, count: 1) }

    private mutating func add(_ repository: String, _ agent: String, count: Int) {
        repositories[repository, default: 0] += count
        agents[agent, default: 0] += count
        total += count
    }

    func active(in repository: String) -> Int { repositories[repository] ?? 0 }

    func allows(_ task: WaitingTasks.Waiting) -> Bool {
        total < limits.total && !paused.contains(task.repository)
            && active(in: task.repository) < ofRepository[task.repository] ?? .max
            && agents[task.agent] ?? 0 < limits.agents[task.agent] ?? .max
    }
}

/// The first of each repository and agent that a replica could take, in their order.
private struct WaitingTasks {
    struct Waiting {
        var id: Int64
        var repository: String
        var agent: String
        var priority: Int64
        var createdAt: Double
    }

    private var waiting: [Waiting]

    init(_ connection: any SQLConnection, _ request: TaskClaim) throws {
        let condition = request.waiting
        let rows = try connection.query(
            """
            SELECT id, repository, agent, priority, created_at FROM (
                SELECT id, LOWER(repository) AS repository, agent, priority, created_at, ROW_NUMBER() OVER (
                    PARTITION BY LOWER(repository), agent ORDER BY priority DESC, created_at, id) AS place
                FROM tasks WHERE \(condition.text)) AS waiting
            WHERE place <= ? ORDER BY priority DESC, created_at, id
            """, condition.arguments + [SQLValue(request.count)])
        waiting = try rows.map { row in
            Waiting(
                id: try row.required("id", SQLRow.integer),
                repository: try row.required("repository", SQLRow.text).lowercased(),
                agent: try row.required("agent", SQLRow.text), priority: try row.required("priority", SQLRow.integer),
                createdAt: try row.required("created_at", SQLRow.real))
        }
    }

    /// Among equal priorities the repository with the least at work goes first, so that a storm in one does not starve another.
    mutating func takeNext(_ load: ActiveLoad) -> Waiting? {
        func rank(_ one: Waiting) -> (Int64, Int, Double, Int64) {
            (-one.priority, load.active(in: one.repository), one.createdAt, one.id)
        }
        let allowed = waiting.indices.filter { load.allows(waiting[$0]) }
        let best = allowed.min { rank(waiting[$0]) < rank(waiting[$1]) }
        return best.map { waiting.remove(at: $0) }
    }
}
