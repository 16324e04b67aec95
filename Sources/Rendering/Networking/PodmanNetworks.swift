import Compose
import OrderedCollections
import Specs
import SystemCrypto
import YAML

/// Compose's networks on podman. They become networks of podman's own where somebody asks for separation: the spec's `network.isolate`, a network
/// that is `internal`, a service with a fixed address. Otherwise all services of a deployment share one.
extension Renderer {
    /// Whether the deployment's services are kept apart on podman.
    func asksForNetworks() -> Bool {
        guard options.can(.separateNetworks) else { return false }
        if spec.network.isolates { return true }
        return groups.contains { group in
            networks(of: group).contains { $0.isInternal == true }
                || group.workloads.contains { !fixedAddresses(workloads[$0]).isEmpty }
        }
    }

    /// The networks that services are in, in the order of the files; none where all share one.
    mutating func podmanNetworks() -> [PodmanNetwork] {
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
        diagnostics.error(message, at: network.keys["ipam"] ?? network.mark, hint: "correct the subnet or the address")
    }

    /// Where the pods of a group are.
    mutating func attachments(_ group: Group) -> [PodmanSettings.Attachment] {
        guard separatesNetworks else { return [] }
        var addresses: [String: String] = [:]
        for index in group.workloads {
            for (network, address) in fixedAddresses(workloads[index]) {
                addresses[podmanName(network)] = address
                check(address, network, workloads[index], group)
            }
        }
        return networks(of: group).map { network in
            PodmanSettings.Attachment(network: podmanName(network), address: addresses[podmanName(network)])
        }
    }

    private mutating func check(_ address: String, _ network: Network, _ workload: ServiceWorkload, _ group: Group) {
        guard let pool = ipv4Pool(network) else { return }
        let key = "networks.\(network.key).ipv4_address"
        let mark = workload.service.networks[network.key]?.keys["ipv4_address"]
        func refuse(_ reason: String, _ hint: String) {
            diagnostics.error("service \(workload.service.name): `\(key)`: \(reason)", at: mark, hint: hint)
        }
        guard ipv4Number(address).map(pool.subnet.hasMember) == true, address != pool.pool.gateway else {
            return refuse("\(address) is no address of a member of \(pool.subnet)", "choose one within the subnet")
        }
        let place = "\(podmanName(network))/\(address)"
        if let other = takenAddresses.updateValue(group.name, forKey: place), other != group.name {
            return refuse("\(address) is that of \(other) already", "choose another one")
        }
        if spec.replicas[workload.service.name] ?? workload.service.deploy?.replicas ?? workload.service.scale ?? 1 > 1
        {
            refuse("several replicas cannot have one address", "remove it, or run one replica")
        }
    }

    /// The addresses that the files fix, with the networks that podman can give them in.
    private func fixedAddresses(_ workload: ServiceWorkload) -> [(network: Network, address: String)] {
        workload.service.networks.compactMap { key, place in
            guard let address = place.ipv4Address,
                let network = project(of: workload).networks[key] ?? layered.project.networks[key],
                ipv4Pool(network) != nil
            else { return nil }
            return (network, address)
        }
    }

    private func ipv4Pool(_ network: Network) -> (pool: IPAM.Pool, subnet: IPv4Subnet)? {
        guard !network.isExternal else { return nil }
        for pool in network.ipam?.pools ?? [] {
            if let subnet = pool.subnet.flatMap(IPv4Subnet.init) { return (pool, subnet) }
        }
        return nil
    }

    /// Whether all that a network's `ipam` says is had on podman.
    func isAddressingHonoured(_ network: Network) -> Bool {
        guard separatesNetworks, let ipam = network.ipam, let pool = ipam.pools.first else { return false }
        return ipv4Pool(network) != nil && ipam.pools.count == 1 && pool.auxAddresses.isEmpty && ipam.options.isEmpty
            && [nil, "default"].contains(ipam.driver)
    }

    /// Whether a service's address in a network is had.
    func hasFixedAddress(_ workload: ServiceWorkload, _ key: String) -> Bool {
        separatesNetworks && fixedAddresses(workload).contains { $0.network.key == key }
    }

    /// No other deployment's network is meant, also where the files call one external: pods of two deployments never meet.
    private func podmanName(_ network: Network) -> String {
        let name = Names.label(network.key)
        // Two keys never give one name.
        return name == network.key ? name : "\(name)-\(sha256Hex(network.key).prefix(8))"
    }

    /// Whether the spec switches a network's own name server off.
    func isDNSDisabled(_ network: Network) -> Bool {
        spec.network.disabledDNS.contains { $0.value == network.key }
    }

    mutating func refuseUnknownNetworks() {
        for name in spec.network.disabledDNS where layered.project.networks[name.value] == nil {
            let near = nearest(name.value, in: Array(layered.project.networks.keys)).map { "did you mean \($0)?" }
            diagnostics.error(
                "network.disable-dns: no network `\(name.value)`", at: name.mark,
                hint: near ?? "name a network of the compose files")
        }
    }
}
