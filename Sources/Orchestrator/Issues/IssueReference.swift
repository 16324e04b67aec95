/// A program that hosts repositories, issues and pull requests.
package enum ForgeKind: String, Hashable, Sendable, Codable, CaseIterable {
    case github
    /// Gitea and Forgejo.
    case gitea
    case gitlab

    /// How a text names a pull request; GitLab counts merge requests beside issues.
    package func pullRequest(_ number: Int) -> String { self == .gitlab ? "!\(number)" : "#\(number)" }
}

/// A repository of the forge.
package struct RepositoryReference: Hashable, Sendable, Codable {
    /// The forge's own number, which stays when the repository is renamed.
    package var id: Int64
    /// `owner/name` as the forge said it last.
    package var name: String

    package init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}

/// An issue of a repository.
package struct IssueReference: Hashable, Sendable, Codable {
    package var repository: RepositoryReference
    package var number: Int

    package init(_ repository: RepositoryReference, number: Int) {
        self.repository = repository
        self.number = number
    }
}
