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
        /// Where volumes are mounted that do not take what the image holds there.
        package var unfilled: Set<String> = []
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

    /// By the container's name.
    package var containers: [String: Container] = [:]
    /// A host name of more than one label.
    package var hostname: String?
    /// Digests of what create or an update wrote into directories that the pods mount from the host.
    package var writtenContent: Set<String> = []

    package init() {}

    /// The digests as one text that changes with them; nil without any.
    package var writtenContentText: String? {
        writtenContent.isEmpty ? nil : writtenContent.sorted().joined(separator: ",")
    }

    /// The settings of a container; empty ones for a name that has none.
    package subscript(container: String) -> Container {
        get { containers[container] ?? Container() }
        set { containers[container] = newValue }
    }
}
