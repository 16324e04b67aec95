package import YAML

/// What podman can do for a workload's pods and no object of Kubernetes can say.
///
/// It travels beside the objects and never in them: what stands in an object a stack may have written.
package struct PodmanSettings: Hashable, Sendable {
    /// Of one container.
    package struct Container: Hashable, Sendable {
        /// The service's user where it is a name, which podman looks up in the image.
        package var user: String?
        package var limits: [Limit] = []
        package var processes: Int64?
        package var killScore: Int64?
        package var processors: String?
        /// Memory and swap together, in bytes; -1 is without limit.
        package var swap: Int64?
        package var swappiness: Int64?
        /// Further groups by name.
        package var groups: [String] = []
        /// Names of the Container Device Interface: `nvidia.com/gpu=all`.
        package var devices: [String] = []
        /// By where it is mounted: the mode of a directory in memory.
        package var modes: [String: UInt32] = [:]
        /// By where it is mounted: the flags of a directory in memory, as `noexec`.
        package var memoryFlags: [String: [String]] = [:]
        /// Where volumes are mounted that do not take what the image holds there.
        package var unfilled: Set<String> = []
        /// Where volumes are mounted that the service gives no name.
        package var anonymous: Set<String> = []
        /// Where paths of the host are mounted: `z` or `Z`, how SELinux labels them, and `bind` where the mounts below them stay away.
        package var bindFlags: [String: [String]] = [:]
        /// By path: who owns the file of a secret.
        package var owners: [String: Int] = [:]
        /// By `80/tcp`, the host's port of the first replica: the ports of all replicas.
        package var hostPorts: [String: [Int]] = [:]

        package init() {}
    }

    /// A `ulimit`; -1 is without limit.
    package struct Limit: Hashable, Sendable {
        package var name: String
        package var soft: Int64
        package var hard: Int64

        package init(name: String, soft: Int64, hard: Int64) {
            self.name = name
            self.soft = soft
            self.hard = hard
        }
    }

    /// A pod's place in a network.
    package struct Attachment: Hashable, Sendable {
        /// The network's ``PodmanNetwork/name``.
        package var network: String
        /// IPv4, for good; nil: podman chooses.
        package var address: String?

        package init(network: String, address: String? = nil) {
            self.network = network
            self.address = address
        }
    }

    /// Where its pods are; empty: in the one network of the deployment.
    package var networks: [Attachment] = []
    /// By the container's name.
    package var containers: [String: Container] = [:]
    /// The volumes that the deployment does not make, by the name of their claim: what compose calls `external`.
    package var externalVolumes: [String: String] = [:]
    /// The configs and secrets that the deployment does not make, by the ConfigMap or Secret that they are in a cluster.
    package var externalFiles: [ExternalFile.Object: ExternalFile] = [:]
    /// A host name of more than one label.
    package var hostname: String?
    /// Whether its services say nothing about restarts: as compose has it, what has ended is not run again.
    package var staysEnded = false
    /// What tells the files that the pods mount from the host from others in their place: digests of what was written there, or which file it is.
    package var writtenContent: Set<String> = []

    package init() {}

    /// All of it as one text; nil without any.
    package var writtenContentText: String? {
        writtenContent.isEmpty ? nil : writtenContent.sorted().joined(separator: ",")
    }

    /// The settings of a container; empty ones for a name that has none.
    package subscript(container: String) -> Container {
        get { containers[container] ?? Container() }
        set { containers[container] = newValue }
    }
}

/// What compose calls an `external` config or secret: podman's own store has it by the name that is written.
package struct ExternalFile: Hashable, Sendable {
    /// What it is in a cluster.
    package enum Object: Hashable, Sendable {
        case configMap(String)
        case secret(String)
    }

    package var name: String
    package var mark: Mark

    package init(name: String, mark: Mark) {
        (self.name, self.mark) = (name, mark)
    }
}

/// A network of a deployment on podman, kept apart from its others.
package struct PodmanNetwork: Hashable, Sendable {
    /// Its key in the compose files as a DNS label.
    package var name: String
    /// Whether it leads to its members alone.
    package var isInternal = false
    /// Whether podman's own name server answers in it. That of an internal network answers names of the outside too.
    package var hasDNS = true
    /// In CIDR notation; nil: podman chooses.
    package var subnet: String?
    /// The host's address in it.
    package var gateway: String?
    /// The part of ``subnet`` that podman chooses addresses from.
    package var range: String?

    package init(name: String) { self.name = name }
}
