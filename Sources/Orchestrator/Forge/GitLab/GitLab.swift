import FoundationEssentials
import SystemCrypto

/// GitLab. Its merge requests are pull requests here, and its notes comments.
package struct GitLab: RepositoryForge {
    package let kind = ForgeKind.gitlab
    let connection: ForgeConnection
    let web: String
    let login = OwnLogin()
    private let secret: [UInt8]

    /// - Parameter api: `https://gitlab.com/api/v4`.
    package init(api: String, secret: [UInt8], token: String, isPatient: Bool = true) {
        connection = ForgeConnection(
            base: api, authorization: FixedToken(token), isPatient: isPatient, writeInterval: .zero)
        web = kind.web(of: connection.base)
        self.secret = secret
    }

    /// GitLab sends the secret itself, or signs as Standard Webhooks do.
    package func verify(_ request: WebhookRequest) throws -> Delivery {
        try WebhookSignature.checkSize(request)
        if let sent = request.headers["webhook-signature"] {
            try checkSigned(request, sent)
        } else {
            try WebhookSignature.check(
                String(decoding: secret, as: UTF8.self), equals: request.headers["x-gitlab-token"] ?? "")
        }
        let id = ["idempotency-key", "webhook-id", "x-gitlab-event-uuid"].first { request.headers[$0] != nil }
        return try request.delivery(
            .gitlab, id: id ?? "idempotency-key", event: "x-gitlab-event", body: request.body)
    }

    private func checkSigned(_ request: WebhookRequest, _ sent: String) throws {
        let (id, time) = (request.headers["webhook-id"] ?? "", request.headers["webhook-timestamp"] ?? "")
        let right = base64(hmacSHA256(key: secret, message: Array("\(id).\(time).".utf8) + request.body))
        let signatures = sent.split(separator: " ").filter { $0.hasPrefix("v1,") }.map { $0.dropFirst(3) }
        guard signatures.contains(where: { isEqualInConstantTime(Array($0.utf8), Array(right.utf8)) }) else {
            throw WebhookSignature.refused
        }
    }

    package func parse(_ delivery: Delivery) throws -> ForgeEvent { try GitLabWebhook.event(delivery) }

    // MARK: Requests

    static let segments = 2...20
    var gitUser: String { "oauth2" }

    static func path(below name: String) -> String { "/projects/\(urlEncoded(name))" }

    func readOwnLogin() async throws -> String {
        try await connection.value(
            GitLabUser.self, ForgeRequest(.get, "/user", scope: .account, to: "ask the forge who this is")
        ).username
    }

    package func repository(_ name: String) async throws -> RepositoryReference {
        let found = try await project(RepositoryReference(id: 0, name: name))
        return RepositoryReference(id: found.id, name: found.pathWithNamespace)
    }

    private func project(_ repository: RepositoryReference) async throws -> GitLabProject {
        try await connection.value(
            GitLabProject.self, request(.get, repository, "", to: "read the project \(repository.name)"))
    }

    package func defaultBranch(of repository: RepositoryReference) async throws -> String {
        guard let branch = try await project(repository).defaultBranch else {
            throw OrchestratorError(.missing, "\(repository.name) has no default branch", hint: "push a first commit")
        }
        return branch
    }

    package func permission(of login: String, in repository: RepositoryReference) async throws -> ForgePermission {
        struct Member: Decodable {
            var username: String
            var accessLevel: Int
        }
        let request = try request(
            .get, repository, "/members/all?query=\(urlEncoded(login))&per_page=100",
            to: "ask what \(login) may do in \(repository.name)")
        let level = try await connection.list(Member.self, request).first { $0.username == login }?.accessLevel ?? 0
        return level >= 40 ? .admin : level >= 30 ? .write : level >= 10 ? .read : .none
    }

    // MARK: Issues and notes

    package func issue(_ reference: IssueReference) async throws -> ForgeIssue {
        let request = try request(
            .get, reference.repository, "/issues/\(reference.number)",
            to: "read the issue \(reference.repository.name)#\(reference.number)")
        return try await connection.value(GitLabIssue.self, request).issue(in: reference.repository)
    }

    package func openIssues(label: String, in repository: RepositoryReference) async throws -> [ForgeIssue] {
        let request = try request(
            .get, repository, "/issues?state=opened&labels=\(urlEncoded(label))&per_page=100",
            to: "list the issues of \(repository.name)")
        return try await connection.list(GitLabIssue.self, request).map { $0.issue(in: repository) }
    }

    package func labelling(of label: String, on issue: IssueReference) async throws -> ForgeLabelling? {
        struct Event: Decodable {
            var id: Int64?
            var action: String?
            var label: GitLabLabel?
            var user: GitLabUser?
        }
        let request = try request(
            .get, issue.repository, "/issues/\(issue.number)/resource_label_events?per_page=100",
            to: "ask who labelled \(issue.repository.name)#\(issue.number)")
        let last = try await connection.list(Event.self, request).last { $0.label?.name == label }
        guard let last, last.action == "add", let id = last.id, let user = last.user else { return nil }
        return ForgeLabelling(id: id, by: user.user)
    }

    package func findComment(marker: String, on issue: IssueReference) async throws -> Int64? {
        let own = try await ownLogin()
        let request = try request(
            .get, issue.repository, "/issues/\(issue.number)/notes?per_page=100&sort=asc&order_by=created_at",
            to: "list the comments of \(issue.repository.name)#\(issue.number)")
        return try await connection.list(GitLabNote.self, request)
            .first { $0.author?.username == own && $0.body.contains(marker) }?.id
    }

    package func createComment(_ text: String, on issue: IssueReference) async throws -> Int64 {
        let request = try request(
            .post, issue.repository, "/issues/\(issue.number)/notes", ["body": text],
            to: "comment on \(issue.repository.name)#\(issue.number)")
        return try await connection.value(GitLabNote.self, request).id
    }

    package func editComment(_ id: Int64, _ text: String, on issue: IssueReference) async throws {
        let request = try request(
            .put, issue.repository, "/issues/\(issue.number)/notes/\(id)", ["body": text],
            to: "edit the comment on \(issue.repository.name)#\(issue.number)")
        _ = try await connection.send(request)
    }

    package func addLabel(_ label: String, to issue: IssueReference) async throws {
        try await changeLabels(["add_labels": label], of: issue)
    }

    package func removeLabel(_ label: String, from issue: IssueReference) async throws {
        try await changeLabels(["remove_labels": label], of: issue)
    }

    private func changeLabels(_ change: [String: String], of issue: IssueReference) async throws {
        let request = try request(
            .put, issue.repository, "/issues/\(issue.number)", change,
            to: "label \(issue.repository.name)#\(issue.number)")
        _ = try await connection.send(request)
    }

    // MARK: Merge requests

    package func pullRequest(_ number: Int, in repository: RepositoryReference) async throws -> ForgePullRequest {
        let request = try request(
            .get, repository, "/merge_requests/\(number)", to: "read the merge request \(repository.name)!\(number)")
        return try await connection.value(GitLabMergeRequest.self, request).pullRequest(in: repository)
    }

    package func findPullRequest(head: String, in repository: RepositoryReference) async throws -> ForgePullRequest? {
        let request = try request(
            .get, repository, "/merge_requests?state=all&source_branch=\(urlEncoded(head))&per_page=100",
            to: "look for the merge request of \(head)")
        let all = try await connection.list(GitLabMergeRequest.self, request)
            .filter { $0.isOwnBranch }.map { $0.pullRequest(in: repository) }
        return all.first(where: \.isOpen) ?? all.max { $0.number < $1.number }
    }

    package func openPullRequest(_ wanted: NewPullRequest) async throws -> ForgePullRequest {
        let body = [
            "title": wanted.isDraft ? "Draft: \(wanted.title)" : wanted.title, "description": wanted.body,
            "source_branch": wanted.head, "target_branch": wanted.base,
        ]
        let request = try request(
            .post, wanted.repository, "/merge_requests", body, to: "open a merge request in \(wanted.repository.name)")
        let response = try await connection.answer(request)
        if response.isSuccess {
            return try response.decoded(GitLabMergeRequest.self, for: request.purpose)
                .pullRequest(in: wanted.repository)
        }
        if [409, 422].contains(response.status),
            let found = try await findPullRequest(head: wanted.head, in: wanted.repository), found.isOpen
        {
            return found
        }
        throw ForgeConnection.error(response, request)
    }

    package func checks(of commit: String, in repository: RepositoryReference) async throws -> ForgeChecks {
        struct Status: Decodable {
            var name: String
            var status: String
            var targetUrl: String?
            var allowFailure: Bool?
        }
        let request = try request(
            .get, repository, "/repository/commits/\(urlEncoded(commit))/statuses?per_page=100",
            to: "read the checks of \(repository.name)")
        let all = try await connection.list(Status.self, request)
        let failed = all.filter { $0.status == "failed" && $0.allowFailure != true }
        let isPending = all.isEmpty || all.contains { ["pending", "running", "created"].contains($0.status) }
        return ForgeChecks(
            commit: commit, branches: [], conclusion: !failed.isEmpty ? .failure : isPending ? .pending : .success,
            failures: failed.map { [$0.name, $0.targetUrl].compactMap { $0 }.joined(separator: ": ") })
    }

    /// GitLab has no reviews that ask for changes: what is wanted is said in comments.
    package func reviews(of number: Int, in repository: RepositoryReference) async throws -> [ForgeReview] { [] }

    package func reviewComments(
        _ review: Int64, of number: Int, in repository: RepositoryReference
    ) async throws -> [ForgeReviewComment] { [] }
}
