import FoundationEssentials

/// The API of tasks.
struct TaskRoutes: Sendable {
    let parts: ServerParts
    let access: Access

    private static let query = [
        Operation.Parameter(name: "state", summary: "only this state", values: TaskState.allCases.map(\.rawValue)),
        Operation.Parameter(name: "repository", summary: "only of this repository"),
        Operation.Parameter(name: "agent", summary: "only of this agent profile"),
        Operation.Parameter(
            name: "before", summary: "only tasks with a smaller number: the next page", isInteger: true),
        Operation.Parameter(name: "limit", summary: "at most so many, 1 to 500; 100 by default", isInteger: true),
    ]
    private static let after = [
        Operation.Parameter(name: "after", summary: "only what came behind this number", isInteger: true)
    ]

    var routes: [Route] { reading + streams + commands }

    private var reading: [Route] {
        [
            Route(
                "GET", "/api/v1/tasks",
                Operation(
                    id: "listTasks", summary: "List tasks, the newest first", query: Self.query, result: "Task",
                    isList: true, failures: [400])
            ) { try await list($0) },
            Route(
                "GET", "/api/v1/tasks/{id}",
                Operation(id: "getTask", summary: "Show a task", result: "Task", failures: [404])
            ) { request in
                try APIJSON.response(TaskView(try await task(request)))
            },
            Route(
                "GET", "/api/v1/tasks/{id}/activity",
                Operation(
                    id: "listTaskActivity", summary: "List what happened to a task", query: Self.after,
                    result: "Activity", isList: true, failures: [400, 404])
            ) { request in
                let task = try await task(request)
                return try APIJSON.response(
                    try await parts.store.activity(of: task.id, after: try request.integer("after") ?? 0, limit: 1000))
            },
            Route(
                "GET", "/api/v1/tasks/{id}/output",
                Operation(
                    id: "listTaskOutput", summary: "List what the agent of a task wrote", query: Self.after,
                    result: "Output", isList: true, failures: [400, 404])
            ) { request in
                let task = try await task(request)
                return try APIJSON.response(
                    try await parts.store.output(of: task.id, after: try request.integer("after") ?? 0, limit: 1000))
            },
        ]
    }

    private var streams: [Route] {
        [
            Route(
                "GET", "/api/v1/tasks/{id}/diff",
                Operation(
                    id: "getTaskDiff", summary: "Show what a task has changed", type: "text/plain",
                    failures: [404, 409])
            ) { request in
                WebResponse(type: "text/plain; charset=utf-8", try await diff(try await task(request)))
            },
            Route(
                "GET", "/api/v1/tasks/{id}/events",
                Operation(
                    id: "followTask", summary: "Follow a task: events `output`, `activity` and `state`",
                    type: "text/event-stream", failures: [404])
            ) { request in
                TaskEvents(store: parts.store).response(
                    try await task(request), resume: request.headers["last-event-id"] ?? request.query["place"])
            },
        ]
    }

    private var commands: [Route] {
        [
            command("retry", "Restart an ended task") { id, _ in .retry(id) },
            command("cancel", "End a task; its agent is stopped") { id, login in
                .cancel(id, reason: "stopped by \(login)")
            },
            Route(
                "POST", "/api/v1/tasks/{id}/instructions",
                Operation(
                    id: "instructTask", summary: "Tell the agent of a task more", body: "Instruction", result: "Task",
                    status: 202, failures: [400, 403, 404])
            ) { request in
                let visitor = try await access.author(request, formToken: nil)
                let task = try await access.task(request, for: visitor)
                let instruction = try await request.json(Instruction.self)
                return try await applied(.instruct(task.id, try instruction.checked()), visitor, task)
            },
        ]
    }

    private func command(
        _ name: String, _ summary: String, _ change: @escaping @Sendable (Int64, String) -> TaskEffect.Change
    ) -> Route {
        Route(
            "POST", "/api/v1/tasks/{id}/\(name)",
            Operation(id: "\(name)Task", summary: summary, result: "Task", status: 202, failures: [403, 404])
        ) { request in
            let visitor = try await access.author(request, formToken: nil)
            let task = try await access.task(request, for: visitor)
            return try await applied(change(task.id, visitor.login), visitor, task)
        }
    }

    private func applied(_ change: TaskEffect.Change, _ visitor: Visitor, _ task: IssueTask) async throws -> WebResponse
    {
        try await parts.store.apply(TaskEffect(change, by: visitor.login))
        return try APIJSON.response(TaskView(try await parts.store.task(task.id)), status: 202)
    }

    private func task(_ request: WebRequest) async throws -> IssueTask {
        try await access.task(request, for: try await access.visitor(request))
    }

    private func list(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.visitor(request)
        var query = TaskQuery(repository: request.query["repository"])
        if let text = request.query["state"] {
            guard let state = TaskState(rawValue: text) else { throw WebFailure(400, "invalid state `\(text)`") }
            query.states = [state]
        }
        query.agent = request.query["agent"]
        query.before = try request.integer("before")
        query.limit = Int(try request.integer("limit", 1...500) ?? 100)
        return try APIJSON.response(try await access.tasks(query, for: visitor).map(TaskView.init))
    }

    /// - Throws: ``WebFailure`` 409 where another host holds the session.
    func diff(_ task: IssueTask) async throws -> String {
        guard task.details.session != nil else { return "" }
        guard task.details.host == nil || task.details.host == parts.host else {
            throw WebFailure(409, "the session of this task is on \(task.details.host ?? "another host")")
        }
        return try await parts.runner.diff(task)
    }
}

struct Instruction: Codable, Sendable {
    /// The most characters of an instruction, as the API's document says.
    static let limit = 65_536

    var text: String

    func checked() throws -> String {
        guard !text.allSatisfy(\.isWhitespace) else { throw WebFailure(400, "the instruction is empty") }
        guard text.unicodeScalars.count <= Self.limit else {
            throw WebFailure(400, "the instruction is longer than \(Self.limit) characters")
        }
        return text
    }
}

extension WebRequest {
    /// - Throws: ``WebFailure`` 400.
    func integer(_ name: String, _ range: ClosedRange<Int64> = 0...Int64.max) throws -> Int64? {
        guard let text = query[name] else { return nil }
        guard let number = Int64(text), range.contains(number) else {
            throw WebFailure(400, "invalid \(name) `\(text)`")
        }
        return number
    }

    func json<Value: Decodable>(_: Value.Type) async throws -> Value {
        let bytes = try await body(1 << 20)
        do { return try APIJSON.decoder().decode(Value.self, from: Data(bytes)) } catch {
            throw WebFailure(400, "the body is not the JSON that the API's document describes")
        }
    }
}
