import FoundationEssentials

// What of GitHub's and Gitea's objects is read, in webhooks and answers alike. Unknown fields are ignored: schemas drift.

struct GitHubUser: Decodable {
    var login: String
    var type: String?

    var user: ForgeUser { ForgeUser(login, isBot: type == "Bot" || login.hasSuffix("[bot]")) }
}

struct GitHubLabel: Decodable {
    var id: Int64?
    var name: String
}

struct GitHubRepository: Decodable {
    var id: Int64
    var fullName: String
    var defaultBranch: String?

    var reference: RepositoryReference { RepositoryReference(id: id, name: fullName) }
}

struct GitHubIssue: Decodable {
    var number: Int
    var title: String
    var body: String?
    var user: GitHubUser?
    var labels: [GitHubLabel]?
    var state: String
    var htmlUrl: String?
    var createdAt: String?
    var pullRequest: Empty?

    struct Empty: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    func issue(in repository: RepositoryReference) -> ForgeIssue {
        ForgeIssue(
            reference: IssueReference(repository, number: number), title: title, body: body ?? "",
            author: user?.user ?? ForgeUser("ghost"), labels: (labels ?? []).map(\.name), isOpen: state == "open",
            url: htmlUrl ?? "", createdAt: ForgeJSON.date(createdAt))
    }
}

struct GitHubComment: Decodable {
    var id: Int64
    var body: String?
    var user: GitHubUser?
}

struct GitHubPullRequest: Decodable {
    var number: Int
    var state: String
    var htmlUrl: String?
    var merged: Bool?
    var mergedAt: String?
    var head: End
    var base: End

    struct End: Decodable {
        var ref: String
        var sha: String
        var repo: GitHubRepository?
    }

    /// Whether the branch is of the repository itself: a fork's branch can have any name.
    var isOwnBranch: Bool { head.repo?.id == base.repo?.id && head.repo != nil }

    func pullRequest(in repository: RepositoryReference) -> ForgePullRequest {
        ForgePullRequest(
            repository: repository, number: number, headBranch: head.ref, headCommit: head.sha, baseBranch: base.ref,
            isOpen: state == "open", isMerged: merged ?? false || mergedAt != nil, url: htmlUrl ?? "")
    }
}

struct GitHubReview: Decodable {
    var id: Int64
    /// Lower case in webhooks, upper case in answers; Gitea has words of its own.
    var state: String
    var body: String?
    var user: GitHubUser?

    var review: ForgeReview {
        let verdict: ForgeReview.Verdict =
            switch state.lowercased() {
            case "approved": .approved
            case "changes_requested", "request_changes": .changesRequested
            default: .commented
            }
        return ForgeReview(id: id, verdict: verdict, body: body ?? "", author: user?.user ?? ForgeUser("ghost"))
    }
}

struct GitHubReviewComment: Decodable {
    var path: String?
    var line: Int?
    var originalLine: Int?
    var position: Int?
    var body: String?
    var user: GitHubUser?

    var comment: ForgeReviewComment {
        ForgeReviewComment(
            path: path ?? "", line: line ?? originalLine ?? position, body: body ?? "",
            author: user?.user ?? ForgeUser("ghost"))
    }
}

struct GitHubPermission: Decodable { var permission: String }
