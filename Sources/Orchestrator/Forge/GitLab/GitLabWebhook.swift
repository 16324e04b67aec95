import FoundationEssentials

/// A webhook of GitLab: what of it is read.
struct GitLabWebhook: Decodable {
    var user: GitLabUser?
    var project: GitLabProject?
    var objectAttributes: Attributes?
    var issue: Subject?
    var mergeRequest: Subject?
    var labels: [GitLabLabel]?
    var changes: Changes?

    struct Attributes: Decodable {
        var id: Int64?
        var iid: Int?
        var title: String?
        var description: String?
        var state: String?
        var action: String?
        var url: String?
        var note: String?
        var createdAt: String?
        var sourceBranch: String?
        var targetBranch: String?
        var sourceProjectId: Int64?
        var targetProjectId: Int64?
        var lastCommit: Commit?
        // Of a pipeline.
        var ref: String?
        var sha: String?
        var status: String?
    }

    struct Commit: Decodable { var id: String }

    /// What a note is about.
    struct Subject: Decodable {
        var iid: Int
        var title: String?
        var description: String?
        var state: String?
        var url: String?
        var labels: [GitLabLabel]?
    }

    struct Changes: Decodable {
        var labels: Change?

        struct Change: Decodable {
            var previous: [GitLabLabel]?
            var current: [GitLabLabel]?
        }
    }

    static func event(_ delivery: Delivery) throws -> ForgeEvent {
        let hook: GitLabWebhook
        do {
            hook = try ForgeJSON.decoder.decode(GitLabWebhook.self, from: Data(delivery.body))
        } catch {
            throw OrchestratorError(
                .invalid, "the delivery \(delivery.id) (\(delivery.event)) cannot be read",
                cause: "it is not what GitLab sends")
        }
        let content = hook.content(delivery.event) ?? .other(delivery.event)
        return ForgeEvent(content, sender: hook.user?.user ?? ForgeUser("ghost"))
    }

    private func content(_ event: String) -> ForgeEvent.Content? {
        guard let repository = project?.reference, let objectAttributes else { return nil }
        switch event {
        case "Issue Hook": return issueContent(objectAttributes, repository)
        case "Note Hook": return noteContent(objectAttributes, repository)
        case "Merge Request Hook": return mergeContent(objectAttributes, repository)
        case "Pipeline Hook": return pipelineContent(objectAttributes, repository)
        default: return nil
        }
    }

    private func issueContent(_ object: Attributes, _ repository: RepositoryReference) -> ForgeEvent.Content? {
        guard let number = object.iid else { return nil }
        let issue = ForgeIssue(
            reference: IssueReference(repository, number: number), title: object.title ?? "",
            body: object.description ?? "", author: user?.user ?? ForgeUser("ghost"),
            labels: (labels ?? []).map(\.text), isOpen: object.state == "opened", url: object.url ?? "",
            createdAt: ForgeJSON.date(object.createdAt))
        switch object.action {
        case "open": return issue.labels.isEmpty ? nil : .labeled(issue, labels: issue.labels)
        case "close": return .closed(issue)
        case "reopen": return .reopened(issue)
        case "update": return updateContent(issue)
        default: return nil
        }
    }

    private func updateContent(_ issue: ForgeIssue) -> ForgeEvent.Content? {
        guard let change = changes?.labels else { return .edited(issue) }
        let (before, after) = (Set((change.previous ?? []).map(\.text)), Set((change.current ?? []).map(\.text)))
        let added = after.subtracting(before).sorted()
        if !added.isEmpty { return .labeled(issue, labels: added) }
        return .unlabeled(issue, labels: before.subtracting(after).sorted())
    }

    private func noteContent(_ object: Attributes, _ repository: RepositoryReference) -> ForgeEvent.Content? {
        guard object.action == nil || object.action == "create", let id = object.id, let subject = issue ?? mergeRequest
        else { return nil }
        let record = ForgeIssue(
            reference: IssueReference(repository, number: subject.iid), title: subject.title ?? "",
            body: subject.description ?? "", author: ForgeUser("ghost"), labels: (subject.labels ?? []).map(\.text),
            isOpen: subject.state == "opened", url: subject.url ?? "")
        return .commented(record, comment: object.note ?? "", commentID: id, isPullRequest: issue == nil)
    }

    private func mergeContent(_ object: Attributes, _ repository: RepositoryReference) -> ForgeEvent.Content? {
        guard let number = object.iid, let source = object.sourceBranch, let target = object.targetBranch,
            object.sourceProjectId == object.targetProjectId, object.action == "merge" || object.action == "close"
        else { return nil }
        return .pullRequestClosed(
            ForgePullRequest(
                repository: repository, number: number, headBranch: source, headCommit: object.lastCommit?.id ?? "",
                baseBranch: target, isOpen: false, isMerged: object.action == "merge", url: object.url ?? ""))
    }

    private func pipelineContent(_ object: Attributes, _ repository: RepositoryReference) -> ForgeEvent.Content? {
        guard let commit = object.sha, let status = object.status else { return nil }
        let conclusion: ForgeChecks.Conclusion =
            switch status {
            case "success": .success
            case "failed": .failure
            default: .pending
            }
        return .checked(
            repository,
            ForgeChecks(commit: commit, branches: object.ref.map { [$0] } ?? [], conclusion: conclusion))
    }
}
