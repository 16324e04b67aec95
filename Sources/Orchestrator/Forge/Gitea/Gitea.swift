import FoundationEssentials
import SystemCrypto

/// Gitea and Forgejo.
package struct Gitea: GitHubShaped {
    package let kind = ForgeKind.gitea
    let connection: ForgeConnection
    let web: String
    let login: OwnLogin
    private let secret: [UInt8]

    /// - Parameter api: `https://<host>/api/v1`.
    package init(api: String, secret: [UInt8], token: String, isPatient: Bool = true) {
        connection = ForgeConnection(
            base: api, authorization: FixedToken(token, scheme: "token"), isPatient: isPatient,
            writeInterval: .zero)
        web = kind.web(of: connection.base)
        login = OwnLogin()
        self.secret = secret
    }

    var gitUser: String { "so" }

    package func verify(_ request: WebhookRequest) throws -> Delivery {
        try WebhookSignature.checkSize(request)
        let sent = request.headers["x-gitea-signature"] ?? request.headers["x-forgejo-signature"] ?? ""
        try WebhookSignature.check(hmacSHA256Hex(key: secret, message: request.body), equals: sent)
        let prefix = request.headers["x-gitea-delivery"] == nil ? "x-forgejo" : "x-gitea"
        return try request.delivery(
            .gitea, id: "\(prefix)-delivery", event: "\(prefix)-event", body: request.formPayload ?? request.body)
    }

    package func parse(_ delivery: Delivery) throws -> ForgeEvent {
        try GitHubWebhook.event(delivery, spelling: .gitea)
    }

    func readOwnLogin() async throws -> String {
        let request = ForgeRequest(.get, "/user", scope: .account, to: "ask the forge who this is")
        return try await connection.value(GitHubUser.self, request).login
    }

    package func openPullRequest(_ wanted: NewPullRequest) async throws -> ForgePullRequest {
        struct Body: Encodable {
            var title: String
            var head: String
            var base: String
            var body: String
        }
        // Gitea knows a draft by its title.
        let title = wanted.isDraft ? "WIP: \(wanted.title)" : wanted.title
        return try await open(
            wanted, attempts: [Body(title: title, head: wanted.head, base: wanted.base, body: wanted.body)])
    }

    package func checks(of commit: String, in repository: RepositoryReference) async throws -> ForgeChecks {
        struct Combined: Decodable {
            var state: String
            var statuses: [Status]?

            struct Status: Decodable {
                var context: String?
                var status: String?
                var targetUrl: String?
            }
        }
        let request = try request(
            .get, repository, "/commits/\(urlEncoded(commit))/status", to: "read the checks of \(repository.name)")
        let combined = try await connection.value(Combined.self, request)
        let failed = (combined.statuses ?? []).filter { ["failure", "error"].contains($0.status) }
        let conclusion: ForgeChecks.Conclusion =
            switch combined.state {
            case "success": .success
            case "failure", "error": .failure
            default: .pending
            }
        return ForgeChecks(
            commit: commit, branches: [], conclusion: conclusion,
            failures: failed.map { [$0.context ?? "check", $0.targetUrl].compactMap { $0 }.joined(separator: ": ") })
    }

    // MARK: Labels, which Gitea knows by number

    private func labels(_ rest: String, _ repository: RepositoryReference) async throws -> [GitHubLabel] {
        let request = try request(.get, repository, rest, to: "list the labels of \(repository.name)")
        return try await connection.list(GitHubLabel.self, request)
    }

    package func addLabel(_ label: String, to issue: IssueReference) async throws {
        let known = try await labels("/labels?limit=50", issue.repository)
        guard let id = known.first(where: { $0.name == label })?.id else {
            throw OrchestratorError(
                .missing, "\(issue.repository.name) has no label `\(label)`", hint: "create it at the forge")
        }
        try await addLabels([id], to: issue)
    }

    package func removeLabel(_ label: String, from issue: IssueReference) async throws {
        let set = try await labels("/issues/\(issue.number)/labels", issue.repository)
        guard let id = set.first(where: { $0.name == label })?.id else { return }
        try await removeLabel(named: "\(id)", from: issue)
    }

    package func labelling(of label: String, on issue: IssueReference) async throws -> ForgeLabelling? {
        struct Entry: Decodable {
            var id: Int64?
            var type: String?
            /// `1`: it was set.
            var body: String?
            var label: GitHubLabel?
            var user: GitHubUser?
        }
        let request = try request(
            .get, issue.repository, "/issues/\(issue.number)/timeline?limit=50",
            to: "ask who labelled \(issue.repository.name)#\(issue.number)")
        let last = try await connection.list(Entry.self, request).last { $0.type == "label" && $0.label?.name == label }
        guard let last, last.body == "1", let id = last.id, let user = last.user else { return nil }
        return ForgeLabelling(id: id, by: user.user)
    }
}
