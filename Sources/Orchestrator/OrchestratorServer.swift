import FoundationEssentials
import NIOCore
import Runtimes
import SystemCrypto
import Workspaces
import YAML

/// The server: webhooks, API and pages over one table of routes.
package struct OrchestratorServer: Sendable {
    private let parts: ServerParts
    private let pages: Pages

    package init(_ parts: ServerParts) throws {
        self.parts = parts
        pages = try Pages(parts)
    }

    /// Answers until it is cancelled.
    ///
    /// - Parameter started: is told the port when the server listens.
    package func run(started: @escaping @Sendable (Int) async -> Void = { _ in }) async throws {
        let server = HTTPServer(
            address: parts.configuration.listen, table: table, failure: { await failure($0, $1) },
            metrics: parts.metrics)
        do {
            try await server.run(started: started)
        } catch let error as IOError {
            let configuration = parts.configuration
            throw OrchestratorError(
                .unavailable,
                "\(configuration.place("listen")): cannot listen on \(configuration.listen.host):\(configuration.listen.port)",
                cause: "\(error)",
                hint: "end what listens there, such as another `so orchestrator serve`, or write another address")
        }
    }

    private var access: Access { pages.access }

    private var table: RouteTable {
        let interface =
            TaskRoutes(parts: parts, access: access).routes + AdministrationRoutes(parts: parts, access: access).routes
        let document = OpenAPI(routes: interface, url: parts.configuration.url).node.json(pretty: true)
        return RouteTable(
            routes: WebhookRoutes(parts: parts).routes + interface + pages.routes + [
                Route("GET", "/api/v1/openapi.json") { _ in WebResponse(type: "application/json", document + "\n") },
                Route("GET", "/healthz") { _ in WebResponse(type: "text/plain; charset=utf-8", "ok\n") },
                Route("GET", "/readyz") { _ in
                    try await parts.store.check()
                    return WebResponse(type: "text/plain; charset=utf-8", "ready\n")
                },
                Route("GET", "/metrics") { _ in
                    WebResponse(
                        type: "text/plain; version=0.0.4; charset=utf-8", try await parts.metrics.text(parts.store))
                },
            ])
    }

    /// Pages for browsers, JSON for programs; nothing of a fault of ours but that there was one.
    private func failure(_ error: any Error, _ request: WebRequest) async -> WebResponse {
        let (failure, hint) = told(error, request)
        let isPage = request.headers["accept"]?.contains("text/html") == true && request.path.first != "api"
        if isPage, failure.status == 401 { return .redirect("/login") }
        do {
            guard isPage else {
                return try APIJSON.response(FailureView(message: failure.message, hint: hint), status: failure.status)
            }
            return try pages.failure(failure, hint: hint, try? await access.knownVisitor(request))
        } catch {
            return WebResponse(500)
        }
    }

    private func told(_ error: any Error, _ request: WebRequest) -> (WebFailure, String?) {
        switch error {
        case let error as WebFailure: return (error, nil)
        case let error as OrchestratorError:
            let statuses: [OrchestratorError.Code: Int] = [
                .invalid: 400, .missing: 404, .notPermitted: 403, .conflict: 409, .unavailable: 503,
            ]
            return (WebFailure(statuses[error.code] ?? 500, error.message), error.hint)
        case let error as TaskFailure: return (WebFailure(409, error.message), nil)
        case let error as WorkspaceError where [.missing, .failed, .refused].contains(error.code):
            return (WebFailure(409, error.message), error.hint)
        default:
            parts.log("\(request.method) /\(request.path.joined(separator: "/")): \(error)")
            return (WebFailure(500, "the server could not do this; its log says why"), nil)
        }
    }

    /// Takes the administrator's token from the file that the configuration names; else makes one at the first start.
    ///
    /// - Returns: the token where it was made now.
    package static func makeAdministrator(_ store: SQLStore, _ configuration: Configuration) async throws -> String? {
        guard let file = configuration.administratorTokenFile else {
            return try await makeAdministrator(store, stateDirectory: configuration.stateDirectory)
        }
        let token = try configuration.secret(file, "administrator-token-file")
        try await store.set(Access.setting, to: sha256Hex(token), replacing: true)
        return nil
    }

    /// The same, made in the state directory and found there again.
    package static func makeAdministrator(_ store: SQLStore, stateDirectory: String) async throws -> String? {
        let file = "\(stateDirectory)/administrator.token"
        let token = try Files.readIfPresent(file).map {
            String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace }
        }
        let made = try token ?? randomAlphanumeric(43)
        if token == nil {
            guard try await store.setting(Access.setting) == nil else { return nil }
            try Files.makeDirectory(stateDirectory, mode: 0o700)
            try Files.write(Array("\(made)\n".utf8), to: file, mode: 0o600)
        }
        try await store.set(Access.setting, to: sha256Hex(made), replacing: token != nil)
        return token == nil ? made : nil
    }
}
