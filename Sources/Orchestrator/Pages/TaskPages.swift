import FoundationEssentials

/// The pages of tasks.
struct TaskPages: Sendable {
    let pages: Pages

    private var parts: ServerParts { pages.parts }
    private var access: Access { pages.access }

    var routes: [Route] {
        [
            Route("GET", "/tasks") { try await list($0) },
            Route("GET", "/tasks/{id}") { try await show($0) },
            Route("GET", "/tasks/{id}/diff") { try await diff($0) },
            command("retry") { id, _, _ in .retry(id) },
            command("cancel") { id, login, _ in .cancel(id, reason: "stopped by \(login)") },
            command("instructions") { id, _, fields in
                .instruct(id, try Instruction(text: fields["text"] ?? "").checked())
            },
        ]
    }

    private func command(
        _ name: String, _ change: @escaping @Sendable (Int64, String, [String: String]) throws -> TaskEffect.Change
    ) -> Route {
        Route("POST", "/tasks/{id}/\(name)") { request in
            let fields = try await request.form()
            let visitor = try await access.author(request, formToken: fields["form"] ?? "")
            let task = try await access.task(request, for: visitor)
            try await parts.store.apply(TaskEffect(try change(task.id, visitor.login, fields), by: visitor.login))
            return .redirect("/tasks/\(task.id)")
        }
    }

    private static let columns: [(String, Set<TaskState>)] = [
        ("Waiting", [.received, .queued, .blocked]), ("At work", TaskState.active), ("In review", [.review]),
        ("Needs you", [.failed, .escalated]), ("Ended", [.done, .cancelled]),
    ]

    private func list(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.visitor(request)
        let isList = request.query["view"] == "list"
        var query = access.visible(TaskQuery(repository: request.query["repository"]), for: visitor)
        query.before = isList ? try request.integer("before") : nil
        let columns = isList ? [] : try await columns(query)
        let tasks = isList ? try await parts.store.tasks(query) : columns.flatMap(\.tasks)
        var values: Pages.Values = [
            "empty": tasks.isEmpty, "label": parts.configuration.projects.first?.label ?? "so",
            isList ? "list" : "board": true, "live": tasks.contains { $0.state.isActive },
        ]
        values["rows"] = tasks.map(card)
        values["columns"] = columns.map { column in
            ["name": column.name, "count": column.count, "tasks": column.tasks.map(card)] as Pages.Values
        }
        if isList, tasks.count == query.limit { values["next"] = tasks.last?.id }
        return try pages.page("tasks", title: "Tasks", visitor, at: "/tasks", values)
    }

    /// Each with its own newest: a hundred that have ended hide none that needs somebody.
    private func columns(_ query: TaskQuery) async throws -> [(name: String, count: Int, tasks: [IssueTask])] {
        var columns: [(name: String, count: Int, tasks: [IssueTask])] = []
        for (name, states) in Self.columns {
            var own = query
            own.states = states
            columns.append((name, try await parts.store.count(own), try await parts.store.tasks(own)))
        }
        return columns
    }

    private func card(_ task: IssueTask) -> Pages.Values {
        var values: Pages.Values = [
            "id": task.id, "title": task.details.title, "repository": task.issue.repository.name,
            "issue": task.issue.number, "agent": task.agent, "state": task.state.rawValue,
            "changed": PageText.when(task.updatedAt),
        ]
        values["cost"] = task.details.usage.cost > 0 ? PageText.dollars(task.details.usage.cost) : nil
        values["step"] = task.state.isActive ? task.details.currentStep : nil
        values["failure"] = task.state == .review || task.state == .done ? nil : task.details.failure?.message
        return values
    }

    private func show(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.visitor(request)
        let task = try await access.task(request, for: visitor)
        let activity = try await parts.store.activity(of: task.id, after: 0, limit: 1000)
        // All of it: the store keeps a few MiB of a task.
        let output = try await parts.store.output(of: task.id, after: 0, limit: 1_000_000)
        var values = card(task)
        let details = task.details
        values["issueURL"] = PageText.address(details.issueURL)
        values["requestedBy"] = details.requestedBy
        values["pull"] = details.pullRequest?.number
        values["pullURL"] = PageText.address(details.pullRequest?.url ?? "")
        values["credential"] =
            task.state == .blocked && details.failure?.kind == .credential && visitor.role == .administrator
        values["canStop"] = !task.state.isEnded
        values["canRetry"] = task.state.isEnded || task.state == .blocked
        (values["tokensIn"], values["tokensOut"]) = (details.usage.inputTokens, details.usage.outputTokens)
        values["costText"] = PageText.dollars(details.usage.cost)
        values["branch"] = details.branch
        values["log"] = output.map(\.text).joined()
        values["place"] = "\(activity.last?.id ?? 0)-\(output.last?.id ?? 0)"
        values["timeline"] = activity.map(Self.row)
        values["body"] = details.body
        values["live"] = task.state.isActive
        return try pages.page("task", title: details.title, visitor, at: "/tasks", values)
    }

    static func row(_ activity: Activity) -> Pages.Values {
        var values: Pages.Values = [
            "time": PageText.time(activity.at), "when": PageText.when(activity.at), "message": activity.message,
            "actor": activity.actor,
        ]
        // A name of its own: a row without one would show the page's.
        values["reached"] = activity.state?.rawValue
        values["task"] = activity.task
        return values
    }

    private func diff(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.visitor(request)
        let task = try await access.task(request, for: visitor)
        let text = try await TaskRoutes(parts: parts, access: access).diff(task)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(20_000).map { line in
            ["kind": Self.kind(line), "text": String(line)] as Pages.Values
        }
        return try pages.page(
            "diff", title: "Diff", visitor, at: "/tasks",
            ["title": task.details.title, "id": task.id, "empty": text.isEmpty, "lines": lines])
    }

    private static func kind(_ line: Substring) -> String {
        if line.hasPrefix("diff ") || line.hasPrefix("+++") || line.hasPrefix("---") { return "file" }
        if line.hasPrefix("@@") { return "hunk" }
        return line.hasPrefix("+") ? "add" : line.hasPrefix("-") ? "del" : "same"
    }
}
