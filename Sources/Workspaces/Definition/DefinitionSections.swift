package import Specs

/// A database beside the agent.
package struct Database: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case postgresql
        case redis
        case mysql
        case mariadb
        case mongodb
    }

    /// Where it runs.
    package enum Place: Hashable, Sendable {
        /// In a pod of the workspace's own; nil: the version that so knows best.
        case companion(version: String?)
        /// On the host, reached through a declared forward.
        case host
    }

    package var kind: Kind
    package var place: Place

    package init(_ kind: Kind, _ place: Place = .companion(version: nil)) {
        self.kind = kind
        self.place = place
    }
}

/// Which of the project's compose services run beside the agent.
package struct ComposeChoice: Hashable, Sendable {
    /// Compose files, relative to the project; empty: none.
    package var files: [String] = []
    package var profiles: [String] = []
    /// Empty: all that the profiles enable.
    package var services: [String] = []

    package init() {}
}

/// What the pod may reach.
package struct EgressChoice: Hashable, Sendable {
    /// Names, perhaps with `*.` before them, beside the provider's, the forge's and the registries of the languages.
    package var allow: [String] = []
    /// Whether everything else is denied.
    package var deniesAll = true
    /// Whether git may push through the egress.
    package var allowsPush = false

    package init() {}
}

/// What a session may spend; a request that begins below it is answered.
package struct Budget: Hashable, Sendable {
    /// In US dollars.
    package var cost: Double?
    package var tokens: Int?

    package init() {}
}

/// The agent's pod's share of its host.
package struct WorkspaceResources: Hashable, Sendable {
    package var cpus: Quantity?
    package var memory: Quantity?
    package var disk: Quantity?

    package init() {}
}

/// The numbers of a user and of its group.
package struct PodUser: Hashable, Sendable, Codable {
    package var user: Int
    package var group: Int

    package init(user: Int, group: Int) {
        self.user = user
        self.group = group
    }
}
