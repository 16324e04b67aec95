extension ForgeEvent {
    /// Where it happened; nil where that does not matter.
    package var repository: RepositoryReference? {
        switch content {
        case .labeled(let issue, _), .unlabeled(let issue, _), .closed(let issue), .reopened(let issue),
            .edited(let issue), .commented(let issue, _, _, _):
            issue.reference.repository
        case .reviewed(let pull, _), .pullRequestClosed(let pull): pull.repository
        case .checked(let repository, _): repository
        case .ping, .other: nil
        }
    }
}
