import FoundationEssentials

/// A forge whose API has the shape of GitHub's: GitHub itself, and Gitea.
protocol GitHubShaped: RepositoryForge {}

extension GitHubShaped {
    static var segments: ClosedRange<Int> { 2...2 }

    static func path(below name: String) -> String { "/repos/\(name)" }

    package func repository(_ name: String) async throws -> RepositoryReference {
        let request = try request(.get, RepositoryReference(id: 0, name: name), "", to: "read the repository \(name)")
        let found = try await connection.value(GitHubRepository.self, request)
        return RepositoryReference(id: found.id, name: found.fullName)
    }

    package func defaultBranch(of repository: RepositoryReference) async throws -> String {
        let request = try request(.get, repository, "", to: "read the repository \(repository.name)")
        guard let branch = try await connection.value(GitHubRepository.self, request).defaultBranch else {
            throw OrchestratorError(.missing, "\(repository.name) has no default branch", hint: "push a first commit")
        }
        return branch
    }

    package func permission(of login: String, in repository: RepositoryReference) async throws -> ForgePermission {
        let request = try request(
            .get, repository, "/collaborators/\(urlEncoded(login))/permission",
            to: "ask what \(login) may do in \(repository.name)")
        let response = try await connection.answer(request)
        // Apps and people who are gone are not users.
        if response.status == 404 { return .none }
        guard response.isSuccess else { throw ForgeConnection.error(response, request) }
        switch try response.decoded(GitHubPermission.self, for: request.purpose).permission {
        case "admin", "owner": return .admin
        case "write": return .write
        case "read": return .read
        default: return .none
        }
    }

    package func issue(_ reference: IssueReference) async throws -> ForgeIssue {
        let request = try request(
            .get, reference.repository, "/issues/\(reference.number)",
            to: "read the issue \(reference.repository.name)#\(reference.number)")
        let issue = try await connection.value(GitHubIssue.self, request).issue(in: reference.repository)
        guard issue.reference == reference else {
            // The forge leads to where it was moved.
            throw OrchestratorError(.missing, "\(reference.repository.name)#\(reference.number) was moved away")
        }
        return issue
    }

    package func openIssues(label: String, in repository: RepositoryReference) async throws -> [ForgeIssue] {
        let request = try request(
            .get, repository, "/issues?state=open&type=issues&labels=\(urlEncoded(label))&per_page=100&limit=50",
            to: "list the issues of \(repository.name)")
        return try await connection.list(GitHubIssue.self, request)
            .filter { $0.pullRequest == nil }.map { $0.issue(in: repository) }
    }

    // MARK: Comments

    package func findComment(marker: String, on issue: IssueReference) async throws -> Int64? {
        let own = try await ownLogin()
        let request = try request(
            .get, issue.repository, "/issues/\(issue.number)/comments?per_page=100",
            to: "list the comments of \(issue.repository.name)#\(issue.number)")
        // Anybody can copy a marker.
        return try await connection.list(GitHubComment.self, request).first {
            $0.user?.login == own && $0.body?.contains(marker) ?? false
        }?.id
    }

    package func createComment(_ text: String, on issue: IssueReference) async throws -> Int64 {
        let request = try request(
            .post, issue.repository, "/issues/\(issue.number)/comments", ["body": text],
            to: "comment on \(issue.repository.name)#\(issue.number)")
        return try await connection.value(GitHubComment.self, request).id
    }

    package func editComment(_ id: Int64, _ text: String, on issue: IssueReference) async throws {
        let request = try request(
            .patch, issue.repository, "/issues/comments/\(id)", ["body": text],
            to: "edit the comment on \(issue.repository.name)#\(issue.number)")
        _ = try await connection.send(request)
    }

    // MARK: Pull requests

    package func pullRequest(_ number: Int, in repository: RepositoryReference) async throws -> ForgePullRequest {
        let request = try request(
            .get, repository, "/pulls/\(number)", to: "read the pull request \(repository.name)#\(number)")
        return try await connection.value(GitHubPullRequest.self, request).pullRequest(in: repository)
    }

    package func findPullRequest(head: String, in repository: RepositoryReference) async throws -> ForgePullRequest? {
        let owner = repository.name.prefix { $0 != "/" }
        let request = try request(
            .get, repository,
            "/pulls?state=all&head=\(urlEncoded("\(owner):\(head)"))&per_page=100&limit=50",
            to: "look for the pull request of \(head)")
        let all = try await connection.list(GitHubPullRequest.self, request)
            .filter { $0.isOwnBranch && $0.head.ref == head }.map { $0.pullRequest(in: repository) }
        return all.first(where: \.isOpen) ?? all.max { $0.number < $1.number }
    }

    /// Tries one body after the other; a refusal is a success where the pull request is there, whoever made it.
    func open(_ wanted: NewPullRequest, attempts: [some Encodable & Sendable]) async throws -> ForgePullRequest {
        var refusal: OrchestratorError?
        for body in attempts {
            let request = try request(
                .post, wanted.repository, "/pulls", body, to: "open a pull request in \(wanted.repository.name)")
            let response = try await connection.answer(request)
            if response.isSuccess {
                return try response.decoded(GitHubPullRequest.self, for: request.purpose)
                    .pullRequest(in: wanted.repository)
            }
            guard [409, 422].contains(response.status) else { throw ForgeConnection.error(response, request) }
            if let found = try await findPullRequest(head: wanted.head, in: wanted.repository), found.isOpen {
                return found
            }
            refusal = ForgeConnection.error(response, request)
        }
        throw refusal ?? OrchestratorError(.failed, "cannot open a pull request in \(wanted.repository.name)")
    }

    package func reviewComments(
        _ review: Int64, of number: Int, in repository: RepositoryReference
    ) async throws -> [ForgeReviewComment] {
        let request = try request(
            .get, repository, "/pulls/\(number)/reviews/\(review)/comments",
            to: "read the review of \(repository.name)#\(number)")
        return try await connection.list(GitHubReviewComment.self, request).map(\.comment)
    }

    package func reviews(of number: Int, in repository: RepositoryReference) async throws -> [ForgeReview] {
        let request = try request(
            .get, repository, "/pulls/\(number)/reviews?per_page=100",
            to: "read the reviews of \(repository.name)#\(number)")
        return try await connection.list(GitHubReview.self, request).map(\.review)
    }
}

extension GitHubShaped {
    /// - Parameter labels: names, or numbers where the forge knows them by those.
    func addLabels(_ labels: some Encodable & Sendable, to issue: IssueReference) async throws {
        let request = try request(
            .post, issue.repository, "/issues/\(issue.number)/labels", ["labels": labels],
            to: "label \(issue.repository.name)#\(issue.number)")
        _ = try await connection.send(request)
    }

    /// A label that is not there is removed already.
    func removeLabel(named name: String, from issue: IssueReference) async throws {
        let request = try request(
            .delete, issue.repository, "/issues/\(issue.number)/labels/\(name)",
            to: "remove a label of \(issue.repository.name)#\(issue.number)")
        let response = try await connection.answer(request)
        guard response.isSuccess || response.status == 404 else { throw ForgeConnection.error(response, request) }
    }
}

extension GitHub {
    package func addLabel(_ label: String, to issue: IssueReference) async throws {
        try await addLabels([label], to: issue)
    }

    package func removeLabel(_ label: String, from issue: IssueReference) async throws {
        try await removeLabel(named: urlEncoded(label), from: issue)
    }

    package func labelling(of label: String, on issue: IssueReference) async throws -> ForgeLabelling? {
        struct Event: Decodable {
            var id: Int64?
            var event: String?
            var label: GitHubLabel?
            var actor: GitHubUser?
        }
        let request = try request(
            .get, issue.repository, "/issues/\(issue.number)/events?per_page=100",
            to: "ask who labelled \(issue.repository.name)#\(issue.number)")
        let last = try await connection.list(Event.self, request)
            .last { ["labeled", "unlabeled"].contains($0.event) && $0.label?.name == label }
        guard let last, last.event == "labeled", let id = last.id, let actor = last.actor else { return nil }
        return ForgeLabelling(id: id, by: actor.user)
    }
}
