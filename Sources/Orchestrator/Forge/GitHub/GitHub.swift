package import FoundationEssentials
import SystemCrypto

/// GitHub, and GitHub Enterprise Server.
package struct GitHub: GitHubShaped {
    package let kind = ForgeKind.github
    let connection: ForgeConnection
    let web: String
    let login: OwnLogin
    private let secret: [UInt8]
    private let isApp: Bool

    /// How it shows who it is.
    package enum Authentication: Sendable {
        case token(String)
        case app(GitHubApp)
    }

    /// - Parameters:
    ///   - api: `https://api.github.com`, or `https://<host>/api/v3` of a server of one's own.
    ///   - isPatient: false: a request that does not succeed at once has failed.
    ///   - writeInterval: GitHub asks for a second between two requests that change something.
    package init(
        api: String, secret: [UInt8], authentication: Authentication, isPatient: Bool = true,
        writeInterval: Duration = .seconds(1),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let authorization: any ForgeAuthorization
        switch authentication {
        case .token(let token):
            authorization = FixedToken(token)
            isApp = false
        case .app(let app):
            authorization = InstallationTokens(app, base: api, isPatient: isPatient, now: now)
            isApp = true
        }
        connection = Self.connection(
            api, authorization: authorization, isPatient: isPatient, writeInterval: writeInterval)
        web = kind.web(of: connection.base)
        login = OwnLogin()
        self.secret = secret
    }

    static func connection(
        _ base: String, authorization: any ForgeAuthorization, isPatient: Bool = true, writeInterval: Duration
    ) -> ForgeConnection {
        var connection = ForgeConnection(
            base: base, authorization: authorization, isPatient: isPatient, writeInterval: writeInterval)
        connection.headers = [
            ("Accept", "application/vnd.github+json"), ("X-GitHub-Api-Version", "2022-11-28"),
        ]
        return connection
    }

    var gitUser: String { "x-access-token" }

    package func verify(_ request: WebhookRequest) throws -> Delivery {
        try WebhookSignature.checkSize(request)
        let sent = request.headers["x-hub-signature-256"] ?? ""
        try WebhookSignature.check("sha256=" + hmacSHA256Hex(key: secret, message: request.body), equals: sent)
        return try request.delivery(
            .github, id: "x-github-delivery", event: "x-github-event", body: request.formPayload ?? request.body)
    }

    package func parse(_ delivery: Delivery) throws -> ForgeEvent {
        try GitHubWebhook.event(delivery, spelling: .github)
    }

    private struct Account: Decodable {
        var slug: String?
        var login: String?
    }

    /// The login under which its comments appear.
    func readOwnLogin() async throws -> String {
        let request = ForgeRequest(.get, isApp ? "/app" : "/user", scope: .account, to: "ask the forge who this is")
        let account = try await connection.value(Account.self, request)
        return account.slug.map { "\($0)[bot]" } ?? account.login ?? ""
    }

    package func checks(of commit: String, in repository: RepositoryReference) async throws -> ForgeChecks {
        let request = try request(
            .get, repository, "/commits/\(urlEncoded(commit))/check-runs?filter=latest&per_page=100",
            to: "read the checks of \(repository.name)")
        let runs = try await connection.value(CheckRuns.self, request).checkRuns
        let all = runs + (try await statuses(of: commit, in: repository))
        return ForgeChecks(
            commit: commit, branches: [], conclusion: CheckRuns.conclusion(all),
            failures: all.filter(\.isFailure).map(\.text))
    }

    /// What older services say of a commit, as runs. A token that may not read them has none to fail.
    private func statuses(of commit: String, in repository: RepositoryReference) async throws -> [CheckRuns.Run] {
        let request = try request(
            .get, repository, "/commits/\(urlEncoded(commit))/status?per_page=100",
            to: "read the statuses of \(repository.name)")
        let response = try await connection.answer(request)
        if [403, 404].contains(response.status) { return [] }
        guard response.isSuccess else { throw ForgeConnection.error(response, request) }
        return try response.decoded(CombinedStatus.self, for: request.purpose).statuses.map(\.run)
    }

    package func openPullRequest(_ wanted: NewPullRequest) async throws -> ForgePullRequest {
        struct Body: Encodable {
            var title: String
            var head: String
            var base: String
            var body: String
            var draft: Bool
        }
        func body(draft: Bool) -> Body {
            Body(title: wanted.title, head: wanted.head, base: wanted.base, body: wanted.body, draft: draft)
        }
        return try await open(
            wanted, attempts: wanted.isDraft ? [body(draft: true), body(draft: false)] : [body(draft: false)])
    }
}

/// The check runs of a commit.
struct CheckRuns: Decodable {
    var checkRuns: [Run]

    struct Run: Decodable {
        var name: String
        var status: String
        var conclusion: String?
        var htmlUrl: String?

        var isFailure: Bool { ["failure", "timed_out", "startup_failure"].contains(conclusion) }
        var text: String { htmlUrl.map { "\(name): \($0)" } ?? name }
    }

    static func conclusion(_ runs: [Run]) -> ForgeChecks.Conclusion {
        if runs.contains(where: \.isFailure) { return .failure }
        return runs.isEmpty || runs.contains { $0.status != "completed" } ? .pending : .success
    }
}

/// The newest status of each context of a commit.
struct CombinedStatus: Decodable {
    struct Status: Decodable {
        var context: String?
        var state: String
        var targetUrl: String?

        var run: CheckRuns.Run {
            let conclusion = state == "error" ? "failure" : state
            return CheckRuns.Run(
                name: context ?? "status", status: state == "pending" ? "in_progress" : "completed",
                conclusion: conclusion, htmlUrl: targetUrl)
        }
    }

    var statuses: [Status]
}

/// Asked once.
actor OwnLogin {
    private var known: String?

    func value(_ read: @Sendable () async throws -> String) async throws -> String {
        if let known { return known }
        let login = try await read()
        known = login
        return login
    }
}
