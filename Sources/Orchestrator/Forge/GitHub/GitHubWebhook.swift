import FoundationEssentials

/// A webhook of GitHub or Gitea: what of it is read.
struct GitHubWebhook: Decodable {
    var action: String?
    var issue: GitHubIssue?
    var label: GitHubLabel?
    var changes: Changes?
    var comment: GitHubComment?
    var review: GiteaOrGitHubReview?
    var pullRequest: GitHubPullRequest?
    var checkSuite: CheckSuite?
    var repository: GitHubRepository?
    var sender: GitHubUser?
    // Of a commit's status.
    var sha: String?
    var state: String?
    var context: String?
    var targetUrl: String?
    var branches: [StatusBranch]?

    struct StatusBranch: Decodable {
        struct Commit: Decodable { var sha: String }

        var name: String
        var commit: Commit?
    }

    struct Changes: Decodable {
        var addedLabels: [GitHubLabel]?
        var removedLabels: [GitHubLabel]?
    }

    struct CheckSuite: Decodable {
        var headSha: String
        var headBranch: String?
        var conclusion: String?
    }

    /// Gitea's webhooks say `type` and `content` where GitHub's say `state` and `body`.
    struct GiteaOrGitHubReview: Decodable {
        var id: Int64?
        var state: String?
        var type: String?
        var body: String?
        var content: String?
        var user: GitHubUser?
    }

    /// Whose words they are.
    enum Spelling: Sendable { case github, gitea }

    static func event(_ delivery: Delivery, spelling: Spelling) throws -> ForgeEvent {
        let hook: GitHubWebhook
        do {
            hook = try ForgeJSON.decoder.decode(GitHubWebhook.self, from: Data(delivery.body))
        } catch {
            throw OrchestratorError(
                .invalid, "the delivery \(delivery.id) (\(delivery.event)) cannot be read",
                cause: describe(error))
        }
        let content = hook.content(delivery.event, spelling) ?? .other(hook.name(delivery.event))
        return ForgeEvent(content, sender: hook.sender?.user ?? ForgeUser("ghost"))
    }

    private static func describe(_ error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, _): "the field \(key.stringValue) is missing"
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
            "the field \(context.codingPath.map(\.stringValue).joined(separator: ".")) has another form"
        default: "it is not JSON"
        }
    }

    private func name(_ event: String) -> String { action.map { "\(event) \($0)" } ?? event }

    private func content(_ event: String, _ spelling: Spelling) -> ForgeEvent.Content? {
        switch event {
        case "ping": return .ping
        case "issues", "issue_label": return issueContent
        case "issue_comment": return commentContent
        case "pull_request_review", "pull_request_approved", "pull_request_rejected": return reviewContent(event)
        // GitHub sends none of this name; Gitea's is a review without a verdict.
        case "pull_request_comment": return spelling == .gitea ? reviewContent(event) : nil
        case "check_suite": return checkContent
        case "status": return statusContent(spelling)
        case "pull_request": return pullRequestContent
        default: return nil
        }
    }

    private var issueContent: ForgeEvent.Content? {
        guard let repository = repository?.reference, let record = issue, record.pullRequest == nil else { return nil }
        let issue = record.issue(in: repository)
        switch action {
        case "labeled": return label.map { .labeled(issue, labels: [$0.name]) }
        case "unlabeled": return label.map { .unlabeled(issue, labels: [$0.name]) }
        case "label_updated": return labelContent(issue)
        case "label_cleared": return .unlabeled(issue, labels: (changes?.removedLabels ?? []).map(\.name))
        case "closed": return .closed(issue)
        case "deleted", "transferred": return .gone(issue)
        case "reopened": return .reopened(issue)
        case "edited": return .edited(issue)
        default: return nil
        }
    }

    /// Older Giteas do not say which label it was; where the issue has one only, it is that.
    private func labelContent(_ issue: ForgeIssue) -> ForgeEvent.Content? {
        if let added = changes?.addedLabels, !added.isEmpty { return .labeled(issue, labels: added.map(\.name)) }
        if let removed = changes?.removedLabels, !removed.isEmpty {
            return .unlabeled(issue, labels: removed.map(\.name))
        }
        return issue.labels.count == 1 ? .labeled(issue, labels: issue.labels) : nil
    }

    private var commentContent: ForgeEvent.Content? {
        guard action == "created", let repository = repository?.reference, let issue, let comment else { return nil }
        return .commented(
            issue.issue(in: repository), comment: comment.body ?? "", commentID: comment.id,
            isPullRequest: issue.pullRequest != nil)
    }

    private func reviewContent(_ event: String) -> ForgeEvent.Content? {
        guard let repository = repository?.reference, let pullRequest, pullRequest.isOwnBranch, let review,
            action == "submitted" || action == "reviewed"
        else { return nil }
        let state = review.state ?? (event.hasSuffix("rejected") ? "request_changes" : "")
        let isApproval = event.hasSuffix("approved")
        let record = GitHubReview(
            id: review.id ?? 0, state: isApproval ? "approved" : state, body: review.body ?? review.content,
            user: review.user ?? sender)
        return .reviewed(pullRequest.pullRequest(in: repository), record.review)
    }

    private var checkContent: ForgeEvent.Content? {
        guard action == "completed", let repository = repository?.reference, let checkSuite else { return nil }
        let isFailure = ["failure", "timed_out", "startup_failure"].contains(checkSuite.conclusion)
        return .checked(
            repository,
            ForgeChecks(
                commit: checkSuite.headSha, branches: checkSuite.headBranch.map { [$0] } ?? [],
                conclusion: isFailure ? .failure : checkSuite.conclusion == "success" ? .success : .pending))
    }

    /// GitHub's names the branches that stand at its commit, the first ten; Gitea's names none.
    private func statusContent(_ spelling: Spelling) -> ForgeEvent.Content? {
        guard let repository = repository?.reference, let sha, let state else { return nil }
        let branches = spelling == .github ? (branches ?? []).filter { $0.commit?.sha == sha }.map(\.name) : []
        let isFailure = ["failure", "error"].contains(state)
        let name = [context ?? "check", targetUrl].compactMap { $0 }.joined(separator: ": ")
        return .checked(
            repository,
            ForgeChecks(
                commit: sha, branches: branches.count < 10 ? branches : [],
                conclusion: isFailure ? .failure : state == "success" ? .success : .pending,
                failures: isFailure ? [name] : []))
    }

    private var pullRequestContent: ForgeEvent.Content? {
        guard action == "closed", let repository = repository?.reference, let pullRequest, pullRequest.isOwnBranch
        else { return nil }
        return .pullRequestClosed(pullRequest.pullRequest(in: repository))
    }
}
