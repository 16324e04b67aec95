package import Specs

/// How a clone stands, or what was done to it.
package struct RepositoryRecord: Hashable, Sendable {
    package enum State: String, Hashable, Sendable {
        /// There is no clone.
        case missing
        /// There is one; nothing was done to it.
        case present
        case cloned
        /// It was brought forward, or to another reference.
        case updated
        /// It is where it should be.
        case unchanged
    }

    package var locator: RepositoryLocator
    /// Where the clone stands; absolute.
    package var directory: String
    package var state: State
    /// The branch or tag that is checked out; nil at any other commit.
    package var reference: String?
    package var commit: String?
    /// What the user should know: local changes, another reference than the wanted one.
    package var notes: [String] = []

    package init(locator: RepositoryLocator, directory: String, state: State) {
        self.locator = locator
        self.directory = directory
        self.state = state
    }

    /// `main (1a2b3c4)`.
    package var place: String {
        guard let commit else { return reference ?? "-" }
        let short = String(commit.prefix(10))
        return reference.map { "\($0) (\(short))" } ?? short
    }
}

/// What is wanted of repositories.
package struct FetchOptions: Hashable, Sendable {
    /// Fetch by ssh what is not written with a transport of its own.
    package var prefersSSH = false
    /// Bring what is there already forward.
    package var pulls = false
    /// How many at a time.
    package var width = 4

    package init() {}
}

/// One step of a fetch, for progress only.
package enum FetchEvent: Hashable, Sendable {
    case cloning
    case fetching
    /// git's own words: `Receiving objects:  45%`.
    case transferring(String)
    case finished(RepositoryRecord)
    case failed(String)
}
