/// Which task an intent is about.
package enum IssueTarget: Hashable, Sendable {
    case issue(IssueReference)
    /// By the branch of its pull request.
    case branch(RepositoryReference, String)
    /// By the number of its pull request.
    case pullRequest(RepositoryReference, Int)
    /// By the commit that its pull request stands at.
    case commit(RepositoryReference, String)
}
