package import FoundationEssentials

/// Somebody at the forge.
package struct ForgeUser: Hashable, Sendable, Codable {
    package var login: String
    /// Bots never trigger anything.
    package var isBot: Bool

    package init(_ login: String, isBot: Bool = false) {
        self.login = login
        self.isBot = isBot
    }
}

/// What somebody may do in a repository.
package enum ForgePermission: Int, Hashable, Sendable, Codable, Comparable {
    case none, read, write, admin

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// An issue as it was when it was read.
package struct ForgeIssue: Hashable, Sendable, Codable {
    package var reference: IssueReference
    package var title: String
    /// As written, markup and hidden parts included: clean it before it is shown or handed to an agent.
    package var body: String
    package var author: ForgeUser
    package var labels: [String]
    package var isOpen: Bool
    /// The address for people.
    package var url: String
    package var createdAt: Date?

    package init(
        reference: IssueReference, title: String, body: String, author: ForgeUser, labels: [String] = [],
        isOpen: Bool = true, url: String = "", createdAt: Date? = nil
    ) {
        self.reference = reference
        self.title = title
        self.body = body
        self.author = author
        self.labels = labels
        self.isOpen = isOpen
        self.url = url
        self.createdAt = createdAt
    }
}

/// That somebody has set a label.
package struct ForgeLabelling: Hashable, Sendable {
    /// The forge's own number; a later one is greater.
    package var id: Int64
    package var by: ForgeUser

    package init(id: Int64, by: ForgeUser) {
        self.id = id
        self.by = by
    }
}

/// A pull request (GitLab: merge request) as it was when it was read.
package struct ForgePullRequest: Hashable, Sendable, Codable {
    package var repository: RepositoryReference
    package var number: Int
    /// The branch that it brings.
    package var headBranch: String
    package var headCommit: String
    package var baseBranch: String
    package var isOpen: Bool
    package var isMerged: Bool
    /// The address for people.
    package var url: String

    package init(
        repository: RepositoryReference, number: Int, headBranch: String, headCommit: String, baseBranch: String,
        isOpen: Bool = true, isMerged: Bool = false, url: String = ""
    ) {
        self.repository = repository
        self.number = number
        self.headBranch = headBranch
        self.headCommit = headCommit
        self.baseBranch = baseBranch
        self.isOpen = isOpen
        self.isMerged = isMerged
        self.url = url
    }
}
