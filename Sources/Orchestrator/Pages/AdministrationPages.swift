import FoundationEssentials

/// The pages of everything but tasks.
struct AdministrationPages: Sendable {
    let pages: Pages

    private var parts: ServerParts { pages.parts }
    private var access: Access { pages.access }
    private var administration: AdministrationRoutes { AdministrationRoutes(parts: parts, access: access) }

    var routes: [Route] {
        [
            Route("GET", "/projects") { try await projects($0) },
            Route("GET", "/agents") { try await agents($0) },
            Route("GET", "/activity") { try await activity($0) },
            Route("GET", "/settings") { try await settings($0) },
            Route("GET", "/credentials") { try await credentials($0) },
            Route("POST", "/credentials") { request in
                let fields = try await request.form()
                let visitor = try await access.administrator(request, formToken: fields["form"] ?? "")
                try await administration.set(fields["name"] ?? "", to: fields["value"] ?? "", by: visitor)
                return .redirect("/credentials?saved=1")
            },
            Route("POST", "/credentials/unset") { request in
                let fields = try await request.form()
                let visitor = try await access.administrator(request, formToken: fields["form"] ?? "")
                try await administration.remove(fields["name"] ?? "", by: visitor)
                return .redirect("/credentials")
            },
        ]
    }

    private func projects(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.visitor(request)
        let rows = try await administration.projects(for: visitor).map { project in
            func count(_ states: [TaskState]) -> Int { states.reduce(0) { $0 + (project.tasks[$1.rawValue] ?? 0) } }
            let budget = project.budgetUSD.map { " of \(PageText.dollars($0))" } ?? ""
            return [
                "repository": project.repository, "label": project.label, "agent": project.agent,
                "active": count([.preparing, .working, .reporting]), "waiting": count([.received, .queued, .blocked]),
                "review": count([.review]), "cost": PageText.dollars(project.costUSD) + budget,
                "disk": "\(project.diskBytes >> 20)\(project.diskLimitBytes.map { " of \($0 >> 20)" } ?? "") MiB",
            ] as Pages.Values
        }
        return try pages.page("projects", title: "Projects", visitor, at: "/projects", ["projects": rows])
    }

    private func agents(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.administrator(request, changing: false)
        let rows = try await parts.store.agents().map { agent in
            [
                "session": agent.session, "state": agent.state.rawValue, "task": agent.task, "profile": agent.profile,
                "host": agent.host, "since": PageText.when(agent.since),
            ] as Pages.Values
        }
        return try pages.page(
            "agents", title: "Agents", visitor, at: "/agents", ["agents": rows, "empty": rows.isEmpty])
    }

    private func credentials(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.administrator(request, changing: false)
        let names = try await parts.credentials.names().sorted()
        var values: Pages.Values = [
            "names": names.map { ["name": $0, "form": visitor.formToken] as Pages.Values }, "empty": names.isEmpty,
        ]
        values["saved"] = request.query["saved"] == nil ? nil : "The credential was saved."
        return try pages.page("credentials", title: "Credentials", visitor, at: "/credentials", values)
    }

    private func activity(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.administrator(request, changing: false)
        let page = Int(try request.integer("deliveries", 0...100_000) ?? 0)
        let found = try await parts.store.failedFirst(limit: 51, offset: page * 50)
        let deliveries = found.prefix(50).map { delivery in
            [
                "when": PageText.when(delivery.receivedAt), "event": delivery.event,
                "outcome": delivery.outcome.rawValue, "reason": delivery.reason ?? "",
            ] as Pages.Values
        }
        let activity = try await parts.store.latestActivity(before: nil, limit: 100).map(TaskPages.row)
        var values: Pages.Values = ["activity": activity, "deliveries": Array(deliveries)]
        if found.count > 50 { values["next"] = page + 1 }
        return try pages.page("activity", title: "Activity", visitor, at: "/activity", values)
    }

    private func settings(_ request: WebRequest) async throws -> WebResponse {
        let visitor = try await access.administrator(request, changing: false)
        let configuration = parts.configuration
        let settings = [
            ("Address", configuration.url),
            ("Forge", "\(configuration.forge.kind.rawValue) at \(configuration.forge.api)"),
            ("Webhook", "\(configuration.url)/webhooks/\(configuration.forge.kind.rawValue)"),
            ("Store", configuration.store.isSQLite ? "SQLite" : "PostgreSQL"), ("Runtime", configuration.runtime),
            ("Credentials", configuration.credentials.backend.rawValue),
            ("Agents", configuration.agents.keys.sorted().joined(separator: ", ")),
            ("At work at once", "\(configuration.maxParallel)"), ("Attempts", "\(configuration.attempts)"),
        ]
        return try pages.page(
            "settings", title: "Settings", visitor, at: "/settings",
            [
                "file": configuration.file,
                "settings": settings.map { ["name": $0.0, "value": $0.1] as Pages.Values },
            ])
    }
}
