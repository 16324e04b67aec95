import FoundationEssentials
package import SystemCrypto

/// A GitHub App: who it is, and the key that it signs with.
package struct GitHubApp: Sendable {
    /// The app's number, or its client id.
    package var id: String
    package var key: RSAPrivateKey

    package init(id: String, key: RSAPrivateKey) {
        self.id = id
        self.key = key
    }

    private struct Claims: Encodable {
        var iat: Int
        var exp: Int
        var iss: String
    }

    /// A token of the app itself (RFC 7519, RS256). GitHub takes ten minutes at most; clocks differ, so it is made a minute old.
    func token(at now: Date, lifetime: Int = 540) throws -> String {
        let seconds = Int(now.timeIntervalSince1970)
        let claims = Claims(iat: seconds - 60, exp: seconds + lifetime, iss: id)
        // In the order of the properties: the vectors of the tests are compared letter by letter.
        let payload = "{\"iat\":\(claims.iat),\"exp\":\(claims.exp),\"iss\":\(try quoted(claims.iss))}"
        let signed = [#"{"alg":"RS256","typ":"JWT"}"#, payload].map { base64URL(Array($0.utf8)) }.joined(separator: ".")
        return "\(signed).\(base64URL(try key.signature(of: Array(signed.utf8))))"
    }

    private func quoted(_ text: String) throws -> String {
        String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
}

/// The tokens of an app's installations: each for one repository, kept until shortly before its end.
actor InstallationTokens: ForgeAuthorization {
    private let app: GitHubApp
    private let base: String
    private let isPatient: Bool
    private let now: @Sendable () -> Date
    private var installations: [String: Int64] = [:]
    private var tokens: [String: Kept] = [:]
    /// Under way, so that many requests at once ask for one token.
    private var pending: [String: Task<Kept, any Error>] = [:]

    private struct Kept {
        var token: String
        var end: Date
    }

    /// A token is renewed this long before its end: a push may take a while.
    private static let margin = 600.0
    /// What the orchestrator does, and no more.
    private static let permissions = [
        "contents": "write", "issues": "write", "pull_requests": "write", "checks": "read", "metadata": "read",
    ]

    init(
        _ app: GitHubApp, base: String, isPatient: Bool = true, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.app = app
        self.base = base
        self.isPatient = isPatient
        self.now = now
    }

    func header(for scope: ForgeScope) async throws -> String {
        switch scope {
        case .account: "Bearer \(try app.token(at: now()))"
        case .repository(let name): "Bearer \(try await gitToken(for: name))"
        }
    }

    func gitToken(for repository: String) async throws -> String {
        if let kept = tokens[repository], kept.end.timeIntervalSince(now()) > Self.margin { return kept.token }
        if let task = pending[repository] { return try await task.value.token }
        let task = Task { try await mint(repository) }
        pending[repository] = task
        defer { pending[repository] = nil }
        let kept = try await task.value
        tokens[repository] = kept
        return kept.token
    }

    func refuse(_ scope: ForgeScope) -> Bool {
        guard case .repository(let name) = scope else { return false }
        installations[name] = nil
        return tokens.removeValue(forKey: name) != nil
    }

    private struct Wanted: Encodable {
        var repositories: [String]
        var permissions: [String: String]
    }

    private struct Minted: Decodable {
        var token: String
        var expiresAt: String
    }

    private struct Installation: Decodable { var id: Int64 }

    private func mint(_ repository: String) async throws -> Kept {
        let connection = GitHub.connection(
            base, authorization: AppToken(app: app, now: now), isPatient: isPatient, writeInterval: .zero)
        let installation = try await installation(of: repository, connection)
        let wanted = Wanted(
            repositories: [String(repository.split(separator: "/").last ?? "")], permissions: Self.permissions)
        let request = try ForgeRequest(
            .post, "/app/installations/\(installation)/access_tokens", wanted, scope: .account,
            to: "get a token of the app for \(repository)")
        let minted = try await connection.value(Minted.self, request)
        return Kept(token: minted.token, end: ForgeJSON.date(minted.expiresAt) ?? now().addingTimeInterval(3600))
    }

    private func installation(of repository: String, _ connection: ForgeConnection) async throws -> Int64 {
        if let known = installations[repository] { return known }
        let request = ForgeRequest(
            .get, "/repos/\(repository)/installation", scope: .account,
            to: "find the app's installation of \(repository)")
        let found = try await connection.value(Installation.self, request).id
        installations[repository] = found
        return found
    }
}

/// The app's own token, made for each request.
private struct AppToken: ForgeAuthorization {
    var app: GitHubApp
    var now: @Sendable () -> Date

    func header(for scope: ForgeScope) throws -> String { "Bearer \(try app.token(at: now()))" }
    func gitToken(for repository: String) throws -> String { try app.token(at: now()) }
    func refuse(_ scope: ForgeScope) -> Bool { false }
}
