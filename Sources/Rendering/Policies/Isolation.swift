import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Renders what the spec's `network.isolate` keeps apart in clusters.
struct PolicyStage: GroupedStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    /// Those of the pods come first.
    var networkPolicies: [NetworkPolicy]

    mutating func run() -> [NetworkPolicy] {
        renderIsolation()
        return networkPolicies
    }
}

/// The spec's `network.isolate` on clusters: what compose's separate networks keep apart, NetworkPolicies keep apart.
///
/// A pod is labelled with its networks, and a policy for each network lets its members reach each other; policies add up.
/// Published and routed ports are open to everybody, as they are on the host in compose. What leaves a pod is free unless all
/// of its networks are `internal`: then it may go to their members and to the cluster's DNS. Jobs of the stack act on its services
/// and are members of every network.
extension PolicyStage {
    private mutating func renderIsolation() {
        guard isolates else { return }
        var owners: OrderedDictionary<String, (network: Network, workload: ServiceWorkload)> = [:]
        for group in groups {
            for network in networks(of: group) where owners[networkLabel(network)] == nil {
                owners[networkLabel(network)] = (network, workloads[group.workloads[0]])
            }
        }
        for (label, owner) in owners { networkPolicies.append(policy(of: owner.network, label: label, owner.workload)) }
        for group in groups { addOpenPorts(group) }
    }

    private func members(of network: Network) -> LabelSelector {
        var labels: StringMap = [networkLabel(network): "true"]
        if !network.isExternal { labels[Keys.instance] = Names.labelValue(options.deploymentID) }
        return LabelSelector(matchLabels: labels)
    }

    /// The members of a network; those of an external one may belong to other deployments.
    private func peer(_ network: Network) -> NetworkPolicy.Peer {
        NetworkPolicy.Peer(
            podSelector: members(of: network),
            namespaceSelector: network.isExternal ? LabelSelector(matchLabels: [:]) : nil)
    }

    private func policy(of network: Network, label: String, _ workload: ServiceWorkload) -> NetworkPolicy {
        let members = members(of: network)
        let peer = peer(network)
        let name = Names.label("network-\(label.dropFirst(Keys.network.utf8.count))")
        return NetworkPolicy(
            of: members, ingress: [NetworkPolicy.IngressRule(from: [peer])],
            metadata: metadata(name, labels: labels(workload)))
    }

    /// What a pod shows to everybody, and what it may reach where all its networks are internal.
    private mutating func addOpenPorts(_ group: Group) {
        let networks = networks(of: group)
        guard !networks.isEmpty else { return }
        let first = workloads[group.workloads[0]]
        let pods = LabelSelector(matchLabels: selector(group.name))
        let ports = openPorts(group)
        if !ports.isEmpty {
            networkPolicies.append(
                NetworkPolicy(
                    of: pods, ingress: [NetworkPolicy.IngressRule(ports: ports)],
                    metadata: metadata(Names.label("\(group.name)-published"), labels: labels(first))))
        }
        guard networks.allSatisfy({ $0.isInternal == true }) else { return }
        let members = networks.map(peer)
        let resolver = NetworkPolicy.EgressRule(
            to: [NetworkPolicy.Peer(podSelector: nil, namespaceSelector: LabelSelector(matchLabels: [:]))],
            ports: [NetworkPolicy.Port(53, protocol: "UDP"), NetworkPolicy.Port(53, protocol: "TCP")])
        networkPolicies.append(
            NetworkPolicy(
                of: pods, ingress: networks.isEmpty ? [] : [NetworkPolicy.IngressRule(from: members)],
                egress: [NetworkPolicy.EgressRule(to: members)]
                    + (networks.allSatisfy(isDNSDisabled) ? [] : [resolver]),
                metadata: metadata(Names.label("\(group.name)-internal"), labels: labels(first))))
    }

    /// Published ports, and those that the spec's routes and its maintenance service lead to.
    private func openPorts(_ group: Group) -> [NetworkPolicy.Port] {
        var ports: [NetworkPolicy.Port] = []
        func add(_ port: NetworkPolicy.Port) { if !ports.contains(port) { ports.append(port) } }
        let routes =
            spec.network.httpProxies.flatMap(\.routes).map(\.proxyTo)
            + [spec.maintenanceService?.value].compactMap(\.self)
        for index in group.workloads {
            let workload = workloads[index]
            for port in workload.service.ports {
                add(NetworkPolicy.Port(port.target, protocol: port.transport.rawValue.uppercased()))
            }
            for route in routes where workload.job == nil && route.service == workload.service.name {
                add(NetworkPolicy.Port(route.port, protocol: "TCP"))
            }
        }
        return ports
    }
}
