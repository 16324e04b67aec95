import Compose
import OrderedCollections
import Specs
import SystemCrypto
import YAML

/// Decides whether compose's networks are networks of podman's own.
struct NetworkSeparation: GroupedStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping

    func run() -> Bool { asksForNetworks() }
}

/// Makes podman's networks.
struct PodmanNetworkStage: NetworkedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    let separatesNetworks: Bool
    var reports = ReportCollector()

    mutating func run() -> [PodmanNetwork] { podmanNetworks() }
}

/// Compose's networks on podman. They become networks of podman's own where somebody asks for separation: the spec's `network.isolate`, a network
/// that is `internal`, a service with a fixed address. Otherwise all services of a deployment share one.
extension PodmanNetworkStage {
    /// The networks that services are in, in the order of the files; none where all share one.
    private mutating func podmanNetworks() -> [PodmanNetwork] {
        guard separatesNetworks else { return [] }
        var result: OrderedDictionary<String, PodmanNetwork> = [:]
        for group in groups {
            for network in networks(of: group) where result[podmanName(network)] == nil {
                result[podmanName(network)] = podmanNetwork(network)
            }
        }
        return Array(result.values)
    }

    private mutating func podmanNetwork(_ network: Network) -> PodmanNetwork {
        var result = PodmanNetwork(name: podmanName(network))
        result.isInternal = network.isInternal == true
        result.hasDNS = !isDNSDisabled(network)
        guard let pool = ipv4Pool(network) else { return result }
        result.subnet = "\(pool.subnet)"
        result.gateway = member(pool.pool.gateway, of: pool.subnet, network, "gateway")
        if let range = pool.pool.ipRange {
            if let part = IPv4Subnet(range), part.length >= pool.subnet.length, pool.subnet.hasMember(part.first | 1) {
                result.range = "\(part)"
            } else {
                refuseAddress(
                    "networks.\(network.key).ipam: the ip_range \(range) is not within \(pool.subnet)", network)
            }
        }
        return result
    }

    private mutating func member(
        _ address: String?, of subnet: IPv4Subnet, _ network: Network, _ key: String
    ) -> String? {
        guard let address else { return nil }
        if ipv4Number(address).map(subnet.hasMember) == true { return address }
        refuseAddress("networks.\(network.key).ipam: the \(key) \(address) is not within \(subnet)", network)
        return nil
    }

    private mutating func refuseAddress(_ message: String, _ network: Network) {
        reports.error(message, at: network.keys["ipam"] ?? network.mark, hint: "correct the subnet or the address")
    }
}
