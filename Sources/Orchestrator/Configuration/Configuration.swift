package import Specs

/// orchestrator.yml, checked, with every default filled in and every path absolute. Secrets are still in their files.
package struct Configuration: Hashable, Sendable {
    /// The file that it was read from.
    package var file: String
    package var places: ConfigurationPlaces
    package var listen: ListenAddress
    /// Without a slash at its end.
    package var url: String
    package var store: StoreLocation
    package var stateDirectory: String
    /// Nil: the administrator's token is made at the first start, in the state directory.
    package var administratorTokenFile: String?
    package var runtime: String
    package var kubeConfig: String?
    package var imageRegistry: String?
    package var forge: ForgeConfiguration
    package var credentials: CredentialsConfiguration
    /// By name; `default` is always there.
    package var agents: [String: AgentProfile]
    package var projects: [ProjectConfiguration]
    package var maxParallel = 10
    package var attempts = 2
    /// Seconds.
    package var idleTimeout = 1800
    package var keepSessions = 86400

    /// The project of a repository's name; nil where it is not one.
    package func project(_ name: String) -> ProjectConfiguration? {
        projects.first { $0.repository.lowercased() == name.lowercased() }
    }

    /// The profile of a task; one that was taken out of the configuration is the default.
    package func agent(_ name: String) -> AgentProfile {
        agents[name] ?? agents["default"] ?? AgentProfile(cli: "claude-code")
    }
}

/// Where the store is.
package enum StoreLocation: Hashable, Sendable {
    case sqlite(path: String)
    case postgresql(address: String, passwordFile: String?)

    package var isSQLite: Bool { if case .sqlite = self { true } else { false } }
}

/// The forge, and what opens it.
package struct ForgeConfiguration: Hashable, Sendable {
    package var kind: ForgeKind
    package var api: String
    package var webhookSecretFile: String
    package var tokenFile: String?
    package var appID: String?
    package var privateKeyFile: String?
    package var name: String
    package var oauth: OAuthConfiguration?

    package struct OAuthConfiguration: Hashable, Sendable {
        package var clientID: String
        package var clientSecretFile: String
    }
}

/// Where credentials are kept.
package struct CredentialsConfiguration: Hashable, Sendable {
    package enum Backend: String, Hashable, Sendable, CaseIterable {
        case file, vault, kubernetes
    }

    package var backend: Backend
    package var keyFile: String
    package var directory: String
    package var address: String?
    package var mount = "secret"
    package var path = "so"
    package var tokenFile: String?
    package var roleID: String?
    package var secretIDFile: String?
    package var kubernetesRole: String?
    package var namespace: String?
    package var secret = "so-credentials"
}

/// A kind of agent.
package struct AgentProfile: Hashable, Sendable {
    package var cli: String
    package var template: String?
    package var cpus: Quantity?
    package var memory: Quantity?
    package var disk: Quantity?
    /// US dollars for one task.
    package var budget: Double?
    package var maxParallel: Int?
    /// Seconds.
    package var timeout = 3600
    /// Whether repositories may ask for containers inside the pod.
    package var allowsContainers = false

    package init(cli: String) { self.cli = cli }
}

/// A repository whose issues are worked on.
package struct ProjectConfiguration: Hashable, Sendable {
    package var repository: String
    package var label = "so"
    package var agent = "default"
    package var maxParallel: Int?
    /// US dollars in a calendar month.
    package var budget: Double?
    /// What its clone and its sessions may take of a host's disk, in bytes.
    package var diskLimit: Int64?
    package var allowedPaths: [String] = []
    package var routes: [IntakeRules.Route] = []

    package init(repository: String) { self.repository = repository }
}
