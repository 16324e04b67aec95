/// One webhook of a forge, understood.
package struct ForgeEvent: Hashable, Sendable {
    /// What happened; what is not listed here is `other` and leads to nothing.
    package enum Content: Hashable, Sendable {
        case ping
        /// Some forges tell of several labels at once.
        case labeled(ForgeIssue, labels: [String])
        case unlabeled(ForgeIssue, labels: [String])
        case closed(ForgeIssue)
        /// It was deleted, or moved to another repository.
        case gone(ForgeIssue)
        case reopened(ForgeIssue)
        case edited(ForgeIssue)
        /// A comment below an issue, or below a pull request where `pullRequest` says so (its number is the issue's).
        case commented(ForgeIssue, comment: String, commentID: Int64, isPullRequest: Bool)
        /// A review was submitted; its inline comments are asked for: ``Forge/reviewComments(_:of:in:)``.
        case reviewed(ForgePullRequest, ForgeReview)
        /// The checks of a commit have ended.
        case checked(RepositoryReference, ForgeChecks)
        case pullRequestClosed(ForgePullRequest)
        case other(String)
    }

    package var content: Content
    /// Who did it.
    package var sender: ForgeUser

    package init(_ content: Content, sender: ForgeUser) {
        self.content = content
        self.sender = sender
    }
}

/// A review of a pull request.
package struct ForgeReview: Hashable, Sendable, Codable {
    package enum Verdict: String, Hashable, Sendable, Codable {
        case approved, changesRequested, commented
    }

    package var id: Int64
    package var verdict: Verdict
    package var body: String
    package var author: ForgeUser

    package init(id: Int64, verdict: Verdict, body: String, author: ForgeUser) {
        self.id = id
        self.verdict = verdict
        self.body = body
        self.author = author
    }
}

/// One inline comment of a review.
package struct ForgeReviewComment: Hashable, Sendable, Codable {
    package var path: String
    package var line: Int?
    package var body: String
    package var author: ForgeUser

    package init(path: String, line: Int?, body: String, author: ForgeUser) {
        self.path = path
        self.line = line
        self.body = body
        self.author = author
    }
}

/// The checks of a commit, summed up.
package struct ForgeChecks: Hashable, Sendable, Codable {
    package enum Conclusion: String, Hashable, Sendable, Codable {
        case pending, success, failure
    }

    package var commit: String
    /// The branches that stand at the commit, as far as the forge says.
    package var branches: [String]
    package var conclusion: Conclusion
    /// Names and addresses of what failed.
    package var failures: [String]

    package init(commit: String, branches: [String], conclusion: Conclusion, failures: [String] = []) {
        self.commit = commit
        self.branches = branches
        self.conclusion = conclusion
        self.failures = failures
    }
}
