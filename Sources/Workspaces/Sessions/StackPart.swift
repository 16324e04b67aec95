package import YAML

/// What one part of a workspace (agent, egress, companions) adds to its stack, in the words of compose.
///
/// The stack's own names: the services `agent` and `egress`; the networks `inside`, which leads nowhere, and `outside`, which only `egress` joins.
package struct StackPart: Sendable {
    /// The service that the agent runs in.
    package static let agentService = "agent"
    /// The service that holds credentials and is the only way out.
    package static let egressService = "egress"
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
    /// Added to the agent's and the companions' /etc/hosts: address by name.
    package var hosts: [String: String] = [:]
    /// The agent's name servers; empty: the runtime's own.
    package var agentDNS: [String] = []

    package init() {}

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
        part.agentDNS += other.agentDNS
        return part
    }
}
