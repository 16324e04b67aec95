import FoundationEssentials
import SystemCrypto

/// Who asks: by the cookie of a sign-in, or by the administrator's token.
struct Access: Sendable {
    let parts: ServerParts

    static let cookie = "so_session"
    static let setting = "administrator"

    /// - Throws: ``WebFailure`` 401.
    func visitor(_ request: WebRequest) async throws -> Visitor {
        if let visitor = try await knownVisitor(request) { return visitor }
        throw WebFailure(401, "sign in first")
    }

    func knownVisitor(_ request: WebRequest) async throws -> Visitor? {
        if let header = request.headers["authorization"] {
            guard header.hasPrefix("Bearer "), try await isAdministrator(String(header.dropFirst("Bearer ".count)))
            else {
                throw WebFailure(401, "invalid token")
            }
            return Visitor(
                login: "administrator", role: .administrator, repositories: [], formToken: "", expiresAt: .distantFuture
            )
        }
        guard let token = request.cookies[Self.cookie] else { return nil }
        return try await parts.store.visitor(token: token)
    }

    /// Who changes something: a browser has to show that the form was ours.
    func author(_ request: WebRequest, formToken: String?) async throws -> Visitor {
        let visitor = try await visitor(request)
        guard request.headers["authorization"] == nil else { return visitor }
        let sent = formToken ?? request.headers["x-form-token"] ?? ""
        guard isEqualInConstantTime(Array(sent.utf8), Array(visitor.formToken.utf8)) else {
            throw WebFailure(403, "this form is not of this session: reload the page")
        }
        return visitor
    }

    func administrator(_ request: WebRequest, formToken: String? = nil, changing: Bool = true) async throws -> Visitor {
        let visitor = try await changing ? author(request, formToken: formToken) : visitor(request)
        guard visitor.role == .administrator else { throw WebFailure(403, "only an administrator may do this") }
        return visitor
    }

    func isAdministrator(_ token: String) async throws -> Bool {
        guard let digest = try await parts.store.setting(Self.setting) else { return false }
        return isEqualInConstantTime(Array(sha256Hex(token).utf8), Array(digest.utf8))
    }

    /// A task that the visitor may see; of others not even its existence is told.
    func task(_ request: WebRequest, for visitor: Visitor) async throws -> IssueTask {
        let id = try request.number("id")
        do {
            let task = try await parts.store.task(id)
            guard visitor.maySee(task.issue.repository.name) else { throw WebFailure(404, "no task \(id)") }
            return task
        } catch let error as OrchestratorError where error.code == .missing {
            throw WebFailure(404, "no task \(id)")
        }
    }

    /// What a visitor may see of a query: the store looks no further, so that a page is full.
    func visible(_ query: TaskQuery, for visitor: Visitor) -> TaskQuery {
        var query = query
        query.repositories = visitor.role == .administrator ? nil : visitor.repositories
        return query
    }

    func tasks(_ query: TaskQuery, for visitor: Visitor) async throws -> [IssueTask] {
        try await parts.store.tasks(visible(query, for: visitor))
    }

    func projects(for visitor: Visitor) -> [ProjectConfiguration] {
        parts.configuration.projects.filter { visitor.maySee($0.repository) }
    }
}
