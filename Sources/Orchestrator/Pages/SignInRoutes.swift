import FoundationEssentials
import SystemCrypto

/// Signing in and out.
struct SignInRoutes: Sendable {
    let pages: Pages

    private var parts: ServerParts { pages.parts }

    private static let lifetime = 12 * 3600.0
    private static let pending = "so_login"

    var routes: [Route] {
        [
            Route("GET", "/login") { try form($0, problem: nil) },
            Route("POST", "/login") { try await enter($0) },
            Route("POST", "/logout") { try await leave($0) },
            Route("GET", "/login/forge") { _ in try begin() },
            Route("GET", "/login/forge/callback") { try await finish($0) },
        ]
    }

    private func form(_: WebRequest, problem: String?) throws -> WebResponse {
        var values: Pages.Values = [
            "oauth": parts.configuration.forge.oauth != nil, "forge": parts.configuration.forge.kind.rawValue,
        ]
        values["problem"] = problem
        var response = try pages.page("login", title: "Sign in", nil, values)
        if problem != nil { response.status = 403 }
        return response
    }

    private func enter(_ request: WebRequest) async throws -> WebResponse {
        let token = try await request.form()["token"] ?? ""
        guard try await pages.access.isAdministrator(token.filter { !$0.isWhitespace }) else {
            return try form(request, problem: "This is not the administrator's token.")
        }
        return try await signedIn("administrator", .administrator, [])
    }

    /// Always a new secret: one that somebody planted before is worth nothing.
    private func signedIn(_ login: String, _ role: Visitor.Role, _ repositories: [String]) async throws -> WebResponse {
        let token = try await parts.store.signIn(login, role, repositories: repositories, for: Self.lifetime)
        var response = WebResponse.redirect("/tasks")
        response.headers.append(("set-cookie", cookie(Access.cookie, token, age: Int(Self.lifetime))))
        return response
    }

    private func cookie(_ name: String, _ value: String, age: Int) -> String {
        let secure = parts.configuration.url.hasPrefix("https://") ? "; Secure" : ""
        return "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax; Max-Age=\(age)\(secure)"
    }

    private func leave(_ request: WebRequest) async throws -> WebResponse {
        let fields = try await request.form()
        _ = try await pages.access.author(request, formToken: fields["form"] ?? "")
        if let token = request.cookies[Access.cookie] { try await parts.store.signOut(token: token) }
        var response = WebResponse.redirect("/login")
        response.headers.append(("set-cookie", cookie(Access.cookie, "", age: 0)))
        return response
    }

    // MARK: With an account of the forge

    private func oauth() throws -> ForgeSignIn {
        guard let oauth = parts.configuration.forge.oauth else {
            throw WebFailure(404, "signing in with the forge is not set up")
        }
        return ForgeSignIn(
            forge: parts.configuration.forge, oauth: oauth, callback: "\(parts.configuration.url)/login/forge/callback")
    }

    /// State and verifier are kept in the browser alone, where no page can read them.
    private func begin() throws -> WebResponse {
        let (state, verifier) = (try randomAlphanumeric(43), try randomAlphanumeric(64))
        var response = WebResponse.redirect(try oauth().address(state: state, verifier: verifier))
        response.headers.append(("set-cookie", cookie(Self.pending, "\(state).\(verifier)", age: 600)))
        return response
    }

    private func finish(_ request: WebRequest) async throws -> WebResponse {
        let kept = (request.cookies[Self.pending] ?? "").split(separator: ".").map(String.init)
        guard kept.count == 2, let state = request.query["state"], let code = request.query["code"],
            isEqualInConstantTime(Array(state.utf8), Array(kept[0].utf8))
        else { return try form(request, problem: "The sign-in was not begun here, or took too long: try again.") }
        let login = try await oauth().login(code: code, verifier: kept[1])
        var repositories: [String] = []
        for project in parts.configuration.projects {
            let repository = try await parts.forge.repository(project.repository)
            if try await parts.forge.permission(of: login, in: repository) >= .write {
                repositories.append(project.repository)
            }
        }
        guard !repositories.isEmpty else {
            return try form(request, problem: "\(login) may write to none of the projects.")
        }
        var response = try await signedIn(login, .member, repositories)
        response.headers.append(("set-cookie", cookie(Self.pending, "", age: 0)))
        return response
    }
}
