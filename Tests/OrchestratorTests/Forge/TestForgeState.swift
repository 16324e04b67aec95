import FoundationEssentials
import Orchestrator
import SystemCrypto
import YAML

/// What the test's forge keeps, and how it answers.
actor TestForgeState {
    struct Issue {
        var number: Int
        var title: String
        var body: String
        var author: String
        var labels: [String] = []
        var isOpen = true
        /// Who set or removed which label, the oldest first.
        var labelled: [Labelling] = []
    }

    struct Labelling {
        var label: String
        var by: String
        var isSet = true

        init(_ label: String, by: String, isSet: Bool = true) {
            self.label = label
            self.by = by
            self.isSet = isSet
        }
    }

    struct Comment {
        var id: Int64
        var issue: Int
        var author: String
        var body: String
        /// How often it was edited.
        var edits = 0
    }

    struct Pull {
        var number: Int
        var title: String
        var body: String
        var head: String
        var base: String
        var isOpen = true
        var isMerged = false
        /// Its branch is of a stranger's copy of the repository.
        var isFork = false
    }

    struct Review {
        var id: Int64
        var pull: Int
        var state: String
        var body: String
        var author: String
        var comments: [(path: String, line: Int, body: String)] = []
    }

    struct Repository {
        var id: Int64
        var issues: [Int: Issue] = [:]
        var comments: [Comment] = []
        var pulls: [Pull] = []
        var reviews: [Review] = []
        var permissions: [String: String] = ["ada": "write"]
        var labels = ["so", "bug"]
        /// By commit: name and conclusion of each check.
        var checks: [String: [(name: String, conclusion: String)]] = [:]
        /// GitHub's older statuses by commit: context and state of each.
        var statuses: [String: [(context: String, state: String)]] = [:]
    }

    /// What the next requests get instead of their answer.
    enum Refusal: Sendable {
        case primary(reset: Int)
        case secondary(retryAfter: Int)
        /// As GitHub documents it: without a header that says how long.
        case secondaryUnsaid
        case server
        case tokenExpired
        case redirect(to: String)
    }

    let kind: ForgeKind
    let web: String
    var repositories: [String: Repository] = [:]
    /// Tokens of the app, with the repositories that each sees.
    private var minted: [String: Set<String>] = [:]
    /// Codes of sign-ins: the challenge that came with each, and who signed in; each is good once.
    private var codes: [String: (challenge: String, login: String)] = [:]
    private(set) var requests: [String] = []
    private var refusals: [Refusal] = []
    private var lastNumber: Int64 = 100
    /// The app's key, where there is an app.
    private var appKey: RSAPrivateKey?

    init(_ kind: ForgeKind, web: String) {
        self.kind = kind
        self.web = web
    }

    func add(_ name: String) -> RepositoryReference {
        let id = next()
        repositories[name] = Repository(id: id)
        return RepositoryReference(id: id, name: name)
    }

    func next() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    func change(_ name: String, _ body: @Sendable (inout Repository) -> Void) {
        if var repository = repositories[name] {
            body(&repository)
            repositories[name] = repository
        }
    }

    func refuse(_ next: Refusal...) { refusals = next }
    func install(_ key: RSAPrivateKey) { appKey = key }
    func count(_ method: String, _ ending: String) -> Int {
        requests.count { $0.hasPrefix(method + " ") && $0.hasSuffix(ending) }
    }
    func comments(_ name: String) -> [Comment] { repositories[name]?.comments ?? [] }
    func pulls(_ name: String) -> [Pull] { repositories[name]?.pulls ?? [] }
    var mintedCount: Int { minted.count }

    // MARK: Who may

    private func sees(_ token: String, _ name: String) -> Bool {
        token == TestForge.token || minted[token]?.contains(name) ?? false
    }

    /// Where git is sent on to; nil: nowhere.
    private(set) var gitMovedTo: String?
    private(set) var gitRequests = 0

    func moveGit(to address: String) { gitMovedTo = address }
    func countGit() { gitRequests += 1 }

    func mayUseGit(_ request: ForgeTestRequest, _ name: String) -> Bool { sees(request.token, name) }

    /// GitHub's rules for an app's own token, checked by signing again: RS256 is deterministic.
    private func isAppToken(_ token: String) -> Bool {
        let parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3, let appKey, let claims = claims(parts[1]) else { return false }
        let (now, issued, end) = (Int(Date().timeIntervalSince1970), claims.words("iat"), claims.words("exp"))
        guard let from = Int(issued), let to = Int(end), from <= now, to > now, to <= now + 600 else { return false }
        return (try? appKey.signature(of: Array("\(parts[0]).\(parts[1])".utf8))).map(base64URL) == parts[2]
    }

    private func claims(_ part: String) -> Node? {
        var text = part.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return base64Decoded(text).flatMap { try? loadYAMLDocument($0, file: "claims") }
    }

    // MARK: Answers

    /// Somebody has said yes on the forge's page.
    func consent(_ code: String, challenge: String, login: String) { codes[code] = (challenge, login) }

    /// RFC 7636: the verifier has to be that of the challenge.
    private func tokenReply(_ request: ForgeTestRequest) -> ForgeTestReply {
        var fields: [String: String] = [:]
        for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            fields[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        guard let known = codes.removeValue(forKey: fields["code"] ?? ""),
            base64URL(sha256(Array((fields["code_verifier"] ?? "").utf8))) == known.challenge,
            fields["client_secret"] == "oauth-secret"
        else { return ForgeTestReply(.map([("error", .string("bad_verification_code"))])) }
        return ForgeTestReply(.map([("access_token", .string("gho_\(known.login)"))]))
    }

    func reply(to request: ForgeTestRequest) -> ForgeTestReply {
        requests.append("\(request.method) \(request.path)")
        if request.path == "/login/oauth/access_token" { return tokenReply(request) }
        if request.path.hasSuffix("/user"), request.token.hasPrefix("gho_") {
            return ForgeTestReply(.map([("login", .string(String(request.token.dropFirst(4)))), ("id", .number(2))]))
        }
        if !refusals.isEmpty { return refused(refusals.removeFirst()) }
        guard request.path.hasPrefix(TestForge.prefix(kind)) else { return .notFound }
        let path = request.path.dropFirst(TestForge.prefix(kind).count).split(separator: "/").map(String.init)
        if let app = appReply(request, path) { return app }
        guard request.token == TestForge.token || minted[request.token] != nil else {
            return .refusal(401, "Bad credentials")
        }
        if path == ["user"] {
            return ForgeTestReply(
                .map([(kind == .gitlab ? "username" : "login", .string(TestForge.login)), ("id", .number(1))]))
        }
        guard let (name, rest) = split(path), sees(request.token, name), var repository = repositories[name] else {
            return .notFound
        }
        let reply =
            kind == .gitlab
            ? gitlabReply(request, name, rest, &repository) : githubReply(request, name, rest, &repository)
        repositories[name] = repository
        return reply
    }

    private func split(_ path: [String]) -> (String, [String])? {
        if kind == .gitlab {
            guard path.first == "projects", path.count > 1 else { return nil }
            return (path[1].replacing("%2F", with: "/"), Array(path.dropFirst(2)))
        }
        guard path.first == "repos", path.count > 2 else { return nil }
        return ("\(path[1])/\(path[2])", Array(path.dropFirst(3)))
    }

    private func refused(_ refusal: Refusal) -> ForgeTestReply {
        switch refusal {
        case .primary(let reset):
            .refusal(
                403, "API rate limit exceeded for installation ID 957387.",
                headers: ["x-ratelimit-remaining": "0", "x-ratelimit-reset": "\(reset)"])
        case .secondary(let seconds):
            .refusal(
                403, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
                headers: ["retry-after": "\(seconds)", "x-ratelimit-remaining": "4000"])
        case .secondaryUnsaid:
            ForgeTestReply(
                .map([
                    (
                        "documentation_url",
                        .string(
                            "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"
                        )
                    ), ("message", .string("You have exceeded a secondary rate limit. Please wait a few minutes.")),
                ]), status: 403)
        case .server: ForgeTestReply(status: 502, body: Array("<html>Server Error</html>".utf8))
        case .tokenExpired: .refusal(401, "Bad credentials")
        case .redirect(let address): .refusal(301, "Moved Permanently", headers: ["location": address])
        }
    }

    /// The endpoints that an app's own token opens.
    private func appReply(_ request: ForgeTestRequest, _ path: [String]) -> ForgeTestReply? {
        guard kind == .github else { return nil }
        let isMint = path.first == "app" && path.last == "access_tokens"
        guard path == ["app"] || isMint || path.last == "installation" else { return nil }
        guard isAppToken(request.token) else { return .refusal(401, "A JSON web token could not be decoded") }
        if path == ["app"] { return ForgeTestReply(.map([("id", .number(29310)), ("slug", .string("so-bot"))])) }
        if !isMint {
            guard repositories["\(path[1])/\(path[2])"] != nil else { return .notFound }
            return ForgeTestReply(.map([("id", .number(957387))]))
        }
        let wanted = request.json.at("repositories")?.sequence?.compactMap(\.text) ?? []
        let names = repositories.keys.filter { name in wanted.contains { name.hasSuffix("/\($0)") } }
        guard !names.isEmpty else {
            return .refusal(
                422,
                "There is at least one repository that does not exist or is not accessible to the parent installation.")
        }
        let token = "ghs_29310_\(String(repeating: "A", count: 480))\(next())"
        minted[token] = Set(names)
        let end = Date().addingTimeInterval(3600).formatted(.iso8601)
        return ForgeTestReply(
            .map([("token", .string(token)), ("expires_at", .string(end))]), status: 201)
    }
}
