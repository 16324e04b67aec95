extension ForgeEvent {
    /// What it is about; nil where it is of nothing that a task could have.
    var target: IssueTarget? {
        switch content {
        case .labeled(let issue, _), .unlabeled(let issue, _), .closed(let issue), .gone(let issue),
            .reopened(let issue), .edited(let issue):
            .issue(issue.reference)
        case .commented(let issue, _, _, let isPullRequest):
            isPullRequest ? .pullRequest(issue.reference.repository, issue.reference.number) : .issue(issue.reference)
        case .reviewed(let pull, _), .pullRequestClosed(let pull): .branch(pull.repository, pull.headBranch)
        case .checked(let repository, let checks): .commit(repository, checks.commit)
        case .ping, .other: nil
        }
    }

    /// Where it happened; nil where that does not matter.
    package var repository: RepositoryReference? {
        switch content {
        case .labeled(let issue, _), .unlabeled(let issue, _), .closed(let issue), .gone(let issue),
            .reopened(let issue), .edited(let issue), .commented(let issue, _, _, _):
            issue.reference.repository
        case .reviewed(let pull, _), .pullRequestClosed(let pull): pull.repository
        case .checked(let repository, _): repository
        case .ping, .other: nil
        }
    }
}
