import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import SystemCrypto

/// OAuth's authorization code with a proof key: https://datatracker.ietf.org/doc/html/rfc7636
struct ForgeSignIn: Sendable {
    let forge: ForgeConfiguration
    let oauth: ForgeConfiguration.OAuthConfiguration
    let callback: String

    private struct Token: Decodable { var access_token: String? }
    private struct User: Decodable {
        var login: String?
        var username: String?
    }

    private var web: String { forge.kind.web(of: forge.api) }

    private var paths: (authorize: String, token: String, scope: String) {
        switch forge.kind {
        case .github, .gitea: ("/login/oauth/authorize", "/login/oauth/access_token", "read:user")
        case .gitlab: ("/oauth/authorize", "/oauth/token", "read_user")
        }
    }

    func address(state: String, verifier: String) -> String {
        let challenge = base64(sha256(verifier)).replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "")
        return "\(web)\(paths.authorize)?"
            + form([
                ("client_id", oauth.clientID), ("redirect_uri", callback), ("response_type", "code"),
                ("scope", paths.scope), ("state", state), ("code_challenge", challenge),
                ("code_challenge_method", "S256"),
            ])
    }

    /// Whose account it is. The token that says so is used once, and dropped.
    func login(code: String, verifier: String) async throws -> String {
        let secret = try SecretFile.read(oauth.clientSecretFile, key: "forge.oauth.client-secret-file")
        var request = HTTPClientRequest(url: web + paths.token)
        request.method = .POST
        request.headers = ["accept": "application/json", "content-type": "application/x-www-form-urlencoded"]
        request.body = .bytes(
            ByteBuffer(
                string: form([
                    ("client_id", oauth.clientID), ("client_secret", secret), ("code", code),
                    ("redirect_uri", callback), ("grant_type", "authorization_code"), ("code_verifier", verifier),
                ])))
        guard let token = try await value(Token.self, request).access_token else {
            throw OrchestratorError(.notPermitted, "the forge refused the sign-in", hint: "try again")
        }
        var question = HTTPClientRequest(url: forge.api + "/user")
        question.headers = ["accept": "application/json", "authorization": "Bearer \(token)", "user-agent": "so"]
        let user = try await value(User.self, question)
        guard let login = user.login ?? user.username else {
            throw OrchestratorError(.failed, "the forge did not say whose account it is")
        }
        return login
    }

    private func value<Value: Decodable>(_: Value.Type, _ request: HTTPClientRequest) async throws -> Value {
        do {
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
            let body = try await response.body.collect(upTo: 1 << 20)
            return try JSONDecoder().decode(Value.self, from: Data(body.readableBytesView))
        } catch {
            throw OrchestratorError(.unavailable, "the forge cannot be asked who signs in", hint: "try again")
        }
    }

    private func form(_ fields: [(String, String)]) -> String {
        fields.map { "\($0.0)=\(URLText.encoded($0.1))" }.joined(separator: "&")
    }
}
