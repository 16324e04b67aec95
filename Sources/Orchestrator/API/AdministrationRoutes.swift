import FoundationEssentials

/// The API of everything but tasks.
struct AdministrationRoutes: Sendable {
    let parts: ServerParts
    let access: Access

    var routes: [Route] {
        [
            Route(
                "GET", "/api/v1/projects",
                Operation(id: "listProjects", summary: "List the projects", result: "Project", isList: true)
            ) { request in
                try APIJSON.response(try await projects(for: try await access.visitor(request)))
            },
            Route(
                "GET", "/api/v1/agents",
                Operation(
                    id: "listAgents", summary: "List the workspaces of agents", result: "Agent", isList: true,
                    failures: [403])
            ) { request in
                _ = try await access.administrator(request, changing: false)
                return try APIJSON.response(try await parts.store.agents())
            },
            Route(
                "GET", "/api/v1/activity",
                Operation(
                    id: "listActivity", summary: "List what happened, the newest first",
                    query: [
                        Operation.Parameter(
                            name: "before", summary: "only what came before this number", isInteger: true)
                    ], result: "Activity", isList: true, failures: [400, 403])
            ) { request in
                _ = try await access.administrator(request, changing: false)
                return try APIJSON.response(
                    try await parts.store.latestActivity(before: try request.integer("before"), limit: 200))
            },
        ] + credentials
    }

    private var credentials: [Route] {
        [
            Route(
                "GET", "/api/v1/credentials",
                Operation(
                    id: "listCredentials", summary: "List the names of credentials", result: "Credential", isList: true,
                    failures: [403])
            ) { request in
                _ = try await access.administrator(request, changing: false)
                return try APIJSON.response(
                    try await parts.credentials.names().sorted().map(CredentialView.init(name:)))
            },
            Route(
                "PUT", "/api/v1/credentials/{name}",
                Operation(
                    id: "setCredential", summary: "Set a credential; it cannot be read back", body: "CredentialValue",
                    status: 204, failures: [400, 403])
            ) { request in
                let visitor = try await access.administrator(request)
                let value = try await request.json(CredentialValue.self)
                try await set(request.parameters["name"] ?? "", to: value.value, by: visitor)
                return WebResponse(204)
            },
            Route(
                "POST", "/api/v1/credentials/rotate",
                Operation(
                    id: "rotateCredentials", summary: "Seal all credentials with a new key", status: 204,
                    failures: [400, 403])
            ) { request in
                let visitor = try await access.administrator(request)
                try await parts.credentials.rotate()
                try await parts.store.append(
                    Activity(kind: .command, actor: visitor.login, message: "rotated the key of the credentials"))
                return WebResponse(204)
            },
            Route(
                "DELETE", "/api/v1/credentials/{name}",
                Operation(
                    id: "unsetCredential", summary: "Remove a credential", status: 204, failures: [400, 403, 404])
            ) { request in
                let visitor = try await access.administrator(request)
                try await remove(request.parameters["name"] ?? "", by: visitor)
                return WebResponse(204)
            },
        ]
    }

    /// Sets a credential, and lets go the tasks that waited for one.
    func set(_ name: String, to value: String, by visitor: Visitor) async throws {
        try check(name)
        guard !value.isEmpty, value.utf8.count <= 65536 else { throw WebFailure(400, "the value is empty or too long") }
        try await parts.credentials.set(name, to: Array(value.utf8))
        try await parts.store.noteCredentials()
        try await parts.store.append(
            Activity(kind: .command, actor: visitor.login, message: "set the credential \(name)"))
        for task in try await parts.store.tasks(TaskQuery(states: [.blocked], limit: 1000))
        where task.details.failure?.kind == .credential {
            try await parts.store.apply(TaskEffect(.unblock(task.id), by: visitor.login))
        }
    }

    func remove(_ name: String, by visitor: Visitor) async throws {
        try check(name)
        guard try await parts.credentials.names().contains(name) else {
            throw OrchestratorError(.missing, "credential \(name) not found", hint: "so credentials list")
        }
        try await parts.credentials.remove(name)
        try await parts.store.append(
            Activity(kind: .command, actor: visitor.login, message: "removed the credential \(name)"))
    }

    /// A credential is named as the variable that a coding CLI reads it from.
    private func check(_ name: String) throws {
        let first = name.utf8.first ?? 0
        let isName = name.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || UnicodeScalar($0).properties.isAlphabetic && $0 < 128 || (48...57).contains($0)
        }
        guard isName, !(48...57).contains(first), (1...128).contains(name.utf8.count) else {
            throw WebFailure(400, "invalid name: a credential is named as a variable, such as ANTHROPIC_API_KEY")
        }
    }

    func projects(for visitor: Visitor) async throws -> [ProjectView] {
        let known = try await parts.store.projects()
        let disk = try await parts.store.diskUse()
        var views: [ProjectView] = []
        for project in access.projects(for: visitor) {
            var tasks: [String: Int] = [:]
            for task in try await parts.store.tasks(TaskQuery(repository: project.repository, limit: 1000)) {
                tasks[task.state.rawValue, default: 0] += 1
            }
            let repository = known.first { $0.name.lowercased() == project.repository.lowercased() }
            let cost = try await repository.asyncMap { try await parts.store.usage(of: $0, since: .monthStart()).cost }
            views.append(
                ProjectView(
                    repository: project.repository, label: project.label, agent: project.agent,
                    maxParallel: project.maxParallel, budgetUSD: project.budget, costUSD: cost ?? 0,
                    diskBytes: disk.bytes(of: project.repository), diskLimitBytes: project.diskLimit, tasks: tasks))
        }
        return views
    }
}

struct CredentialValue: Codable, Sendable {
    var value: String
}

extension Optional {
    func asyncMap<Value>(_ body: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}
