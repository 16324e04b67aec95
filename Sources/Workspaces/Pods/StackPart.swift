package import Specs
package import YAML

/// What one part of a workspace (agent, egress, companions) adds to its stack, in the words of compose.
///
/// The stack's own names: the services `agent` and `egress`; the networks `inside`, which leads nowhere, and `outside`, which only `egress` joins.
package struct StackPart: Sendable {
    /// The service that the agent runs in.
    package static let agentService = "agent"
    /// The service that holds credentials and is the only way out.
    package static let egressService = "egress"
    /// Makes the checkout before the companions that have a part of it.
    package static let checkoutService = "so-checkout"
    /// The internal network of agent, egress and companions.
    package static let insideNetwork = "inside"
    /// The network with a way out.
    package static let outsideNetwork = "outside"

    /// `services:` of the compose file, by name.
    package var services: [String: Node] = [:]
    /// `networks:` of the compose file, by name; ``insideNetwork`` is there and internal where nothing is said of it.
    package var networks: [String: Node] = [:]
    /// `volumes:` of the compose file, by name.
    package var volumes: [String: Node] = [:]
    /// The bytes of `configs:` that the services name.
    package var configs: [String: [UInt8]] = [:]
    /// The bytes of `secrets:` that the services name; kept in files of mode 0600 and shown nowhere.
    package var secrets: [String: [UInt8]] = [:]
    /// Added to the environment of the agent's service; nothing in it is a secret.
    package var agentEnvironment: [String: String] = [:]
    /// Added to the agent's environment as they stand: `${…}` names a variable of ``config``.
    package var agentReferences: [String: String] = [:]
    /// What the agent waits for, by service: a condition of compose's `depends_on`.
    package var agentDependencies: [String: String] = [:]
    /// Folders of the checkout that services share with the agent, relative to it, each with the volume that it is then.
    package var folders: [String: String] = [:]
    /// What of this host the services are led to, to be looked at once the egress runs.
    package var hostServices: [HostService] = []
    /// Ports of services by the host name that this host's proxy of routes leads there.
    package var routes: [String: RouteTarget] = [:]
    /// The image of that proxy; nil: the one that deployments use.
    package var routesImage: String?
    /// Added to the agent's and the companions' /etc/hosts: address by name.
    package var hosts: [String: String] = [:]
    /// The agent's name servers; empty: the runtime's own.
    package var agentDNS: [String] = []
    /// The agent's address in ``insideNetwork``, for good; nil: the runtime chooses.
    package var agentAddress: String?
    /// Files of this host that the agent's pod sees, read-only, by their path there.
    package var agentMounts: [String: String] = [:]
    /// Files of the agent's pod below ``PodPaths/scripts``, by name.
    package var agentFiles: [String: [UInt8]] = [:]
    /// Further paths of this host that the services may mount.
    package var allowedPaths: [String] = []
    /// A command that must succeed in the agent's pod before anything of the project's or the agent's runs there; empty: none.
    package var gate: [String] = []
    /// Added to the spec's `config`: `$generate:…$` secrets that the services name as `${…}`.
    package var config: [String: String] = [:]

    package init() {}

    /// What its services run.
    var images: [String] { Set(services.values.compactMap { $0.text("image") }).sorted() }

    /// What the egress keeps is its log.
    static func mayHoldWork(_ volume: String) -> Bool { !volume.hasSuffix(egressService) }

    /// This part and another one; the other's entry wins where both have one.
    package func merging(_ other: StackPart) -> StackPart {
        var part = self
        part.services.merge(other.services) { $1 }
        part.networks.merge(other.networks) { $1 }
        part.volumes.merge(other.volumes) { $1 }
        part.configs.merge(other.configs) { $1 }
        part.secrets.merge(other.secrets) { $1 }
        part.agentEnvironment.merge(other.agentEnvironment) { $1 }
        part.hosts.merge(other.hosts) { $1 }
        part.routes.merge(other.routes) { $1 }
        part.routesImage = other.routesImage ?? routesImage
        part.agentDNS += other.agentDNS
        part.agentAddress = other.agentAddress ?? agentAddress
        part.agentMounts.merge(other.agentMounts) { $1 }
        part.agentFiles.merge(other.agentFiles) { $1 }
        part.allowedPaths += other.allowedPaths
        part.config.merge(other.config) { $1 }
        part.agentReferences.merge(other.agentReferences) { $1 }
        part.agentDependencies.merge(other.agentDependencies) { $1 }
        part.folders.merge(other.folders) { $1 }
        part.hostServices += other.hostServices
        if !other.gate.isEmpty { part.gate = other.gate }
        return part
    }
}

/// A service of this host that a session's agent reaches through a declared forward.
package struct HostService: Hashable, Sendable {
    package var name: String
    package var port: Int

    package init(name: String, port: Int) {
        self.name = name
        self.port = port
    }
}
