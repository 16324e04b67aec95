/// A forge: everything that the orchestrator asks of it, and tells it. Each call mints or renews its own token; none is handed out.
package protocol Forge: Sendable {
    var kind: ForgeKind { get }

    /// Checks a webhook's signature in constant time, and reads which delivery it is.
    ///
    /// - Throws: `OrchestratorError` (`notPermitted`) where the signature is missing or wrong.
    func verify(_ request: WebhookRequest) throws -> Delivery

    /// Understands a delivery; what is of no interest is ``ForgeEvent/Content/other(_:)``.
    func parse(_ delivery: Delivery) throws -> ForgeEvent

    /// What somebody may do now; nobody and bots: `none`.
    func permission(of login: String, in repository: RepositoryReference) async throws -> ForgePermission
    func issue(_ reference: IssueReference) async throws -> ForgeIssue
    /// A repository by `owner/name`.
    func repository(_ name: String) async throws -> RepositoryReference
    func defaultBranch(of repository: RepositoryReference) async throws -> String

    /// The own comment of an issue that holds a hidden marker; nil where there is none.
    func findComment(marker: String, on issue: IssueReference) async throws -> Int64?
    func createComment(_ text: String, on issue: IssueReference) async throws -> Int64
    func editComment(_ id: Int64, _ text: String, on issue: IssueReference) async throws
    func addLabel(_ label: String, to issue: IssueReference) async throws
    func removeLabel(_ label: String, from issue: IssueReference) async throws

    /// Brings the branches of a repository into a git directory of this host, below `refs/remotes/origin/`.
    ///
    /// - Parameter host: the operator's environment.
    func fetch(_ repository: RepositoryReference, into directory: String, host: [String: String]) async throws
    /// Brings a verified bundle's branch to the forge; a branch that is there already is success.
    func push(_ push: BranchPush) async throws
    /// The pull request of a branch, open or not; nil where there is none.
    func findPullRequest(head: String, in repository: RepositoryReference) async throws -> ForgePullRequest?
    /// Opens a pull request, or finds the one that there is.
    func openPullRequest(_ request: NewPullRequest) async throws -> ForgePullRequest
    func pullRequest(_ number: Int, in repository: RepositoryReference) async throws -> ForgePullRequest
    func checks(of commit: String, in repository: RepositoryReference) async throws -> ForgeChecks
    /// The reviews of a pull request: what a missed webhook would have told.
    func reviews(of number: Int, in repository: RepositoryReference) async throws -> [ForgeReview]
    /// The inline comments of one review; webhooks of reviews do not hold them.
    func reviewComments(
        _ review: Int64, of number: Int, in repository: RepositoryReference
    ) async throws -> [ForgeReviewComment]

    /// The open issues of a repository that carry a label: what a missed webhook would have told.
    func openIssues(label: String, in repository: RepositoryReference) async throws -> [ForgeIssue]
    /// How a label came to be on an issue: a listed issue does not say it, and somebody without write access may have set it. Nil where it is not there, or
    /// the forge does not know.
    func labelling(of label: String, on issue: IssueReference) async throws -> ForgeLabelling?
    /// The login under which the orchestrator's own comments appear.
    func ownLogin() async throws -> String
    /// Asks whether address and token work; says what is missing.
    func check() async throws
}

/// A webhook as it came in.
package struct WebhookRequest: Hashable, Sendable {
    /// By lower-case name.
    package var headers: [String: String]
    package var body: [UInt8]

    package init(headers: [String: String], body: [UInt8]) {
        self.headers = headers
        self.body = body
    }
}

/// A branch to bring to the forge.
package struct BranchPush: Hashable, Sendable {
    package var repository: RepositoryReference
    /// A bare repository of this host that holds ``commit``; nothing an agent could write.
    package var gitDirectory: String
    /// The operator's environment.
    package var host: [String: String]
    package var branch: String
    package var commit: String
    /// What the branch stood at before; nil where it is new: the push's lease.
    package var expected: String?
    /// Commits whose push was begun since, and may have been cut short after it was done.
    package var begun: [String]

    package init(
        repository: RepositoryReference, gitDirectory: String, host: [String: String], branch: String, commit: String,
        expected: String?, begun: [String] = []
    ) {
        self.repository = repository
        self.gitDirectory = gitDirectory
        self.host = host
        self.branch = branch
        self.commit = commit
        self.expected = expected
        self.begun = begun
    }
}

/// A pull request to open.
package struct NewPullRequest: Hashable, Sendable {
    package var repository: RepositoryReference
    package var title: String
    package var body: String
    package var head: String
    package var base: String
    package var isDraft: Bool

    package init(
        repository: RepositoryReference, title: String, body: String, head: String, base: String, isDraft: Bool = false
    ) {
        self.repository = repository
        self.title = title
        self.body = body
        self.head = head
        self.base = base
        self.isDraft = isDraft
    }
}
