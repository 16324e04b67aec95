import FoundationEssentials

struct GitLabUser: Decodable {
    var username: String
    var bot: Bool?

    /// Project and group access tokens act as users of these names.
    var user: ForgeUser {
        let isToken = username.hasPrefix("project_") || username.hasPrefix("group_")
        return ForgeUser(username, isBot: bot ?? (isToken && username.contains("_bot")))
    }
}

struct GitLabLabel: Decodable {
    var name: String?
    var title: String?

    var text: String { name ?? title ?? "" }
}

struct GitLabProject: Decodable {
    var id: Int64
    var pathWithNamespace: String
    var defaultBranch: String?

    var reference: RepositoryReference { RepositoryReference(id: id, name: pathWithNamespace) }
}

struct GitLabNote: Decodable {
    var id: Int64
    var body: String
    var author: GitLabUser?
}

struct GitLabIssue: Decodable {
    var iid: Int
    var title: String
    var description: String?
    var state: String?
    var labels: [String]?
    var webUrl: String?
    var author: GitLabUser?
    var createdAt: String?

    func issue(in repository: RepositoryReference) -> ForgeIssue {
        ForgeIssue(
            reference: IssueReference(repository, number: iid), title: title, body: description ?? "",
            author: author?.user ?? ForgeUser("ghost"), labels: labels ?? [], isOpen: state == "opened",
            url: webUrl ?? "", createdAt: ForgeJSON.date(createdAt))
    }
}

struct GitLabMergeRequest: Decodable {
    var iid: Int
    var state: String
    var sourceBranch: String
    var targetBranch: String
    var sha: String?
    var webUrl: String?
    var sourceProjectId: Int64?
    var targetProjectId: Int64?

    var isOwnBranch: Bool { sourceProjectId == targetProjectId }

    func pullRequest(in repository: RepositoryReference) -> ForgePullRequest {
        ForgePullRequest(
            repository: repository, number: iid, headBranch: sourceBranch, headCommit: sha ?? "",
            baseBranch: targetBranch, isOpen: state == "opened", isMerged: state == "merged", url: webUrl ?? "")
    }
}
