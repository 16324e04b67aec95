/// What the target of a rendering can do: the one place where targets differ. A stage asks for an ability, never for a target's name.
struct TargetAbilities: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    private static func ability(_ number: UInt32) -> TargetAbilities { TargetAbilities(rawValue: 1 << number) }

    /// All pods run on the host of whoever deploys: its paths, devices and ports are theirs.
    static let oneHost = ability(0)
    /// Containers have settings that no object of Kubernetes has a field for.
    static let containerSettings = ability(1)
    /// Names of hosts, users, variables and the like are taken as the files write them.
    static let anyNames = ability(2)
    /// Numbers of users and groups are those of the kernel; the API takes fewer.
    static let anyNumbers = ability(3)
    /// An empty volume is filled with what the image has there.
    static let filledVolumes = ability(4)
    /// The networks of compose files keep services apart.
    static let separateNetworks = ability(5)
    /// Containers are sent the signal that their service names.
    static let stopSignals = ability(6)
    /// The runtime's own profile of system calls holds where nothing is said.
    static let standardSystemCalls = ability(7)
    /// The objects have to pass the Kubernetes API, or are meant for somebody's.
    static let kubernetesObjects = ability(8)
    /// Published ports become ports of nodes, and kubelets judge pods.
    static let nodes = ability(9)
    /// Nodes of their own, of which each has its paths, and which pull images from registries.
    static let manyNodes = ability(10)
    /// The node is a container of this host: its paths and ports are mapped.
    static let mappedNode = ability(11)
    /// The ingress controller that so brings along gets certificates.
    static let ownIngress = ability(12)
}

extension RenderOptions.Target {
    var abilities: TargetAbilities {
        switch self {
        case .podman:
            [
                .oneHost, .containerSettings, .anyNames, .anyNumbers, .filledVolumes, .separateNetworks, .stopSignals,
                .standardSystemCalls, .ownIngress,
            ]
        case .kind: [.kubernetesObjects, .nodes, .mappedNode, .ownIngress]
        case .kubernetes: [.kubernetesObjects, .nodes, .manyNodes]
        case .none: [.kubernetesObjects, .ownIngress]
        }
    }
}
