import Compose
import OrderedCollections
import Specs
import SystemCrypto
import YAML

/// What stages read of compose's networks.
extension RenderStage {
    /// The addresses that the files fix, with the networks that podman can give them in.
    func fixedAddresses(_ workload: ServiceWorkload) -> [(network: Network, address: String)] {
        workload.service.networks.compactMap { key, place in
            guard let address = place.ipv4Address,
                let network = project(of: workload).networks[key] ?? layered.project.networks[key],
                ipv4Pool(network) != nil
            else { return nil }
            return (network, address)
        }
    }

    func ipv4Pool(_ network: Network) -> (pool: IPAM.Pool, subnet: IPv4Subnet)? {
        guard !network.isExternal else { return nil }
        for pool in network.ipam?.pools ?? [] {
            if let subnet = pool.subnet.flatMap(IPv4Subnet.init) { return (pool, subnet) }
        }
        return nil
    }

    /// No other deployment's network is meant, also where the files call one external: pods of two deployments never meet.
    func podmanName(_ network: Network) -> String {
        let name = Names.label(network.key)
        // Two keys never give one name.
        return name == network.key ? name : "\(name)-\(sha256Hex(network.key).prefix(8))"
    }

    /// Whether the spec switches a network's own name server off.
    func isDNSDisabled(_ network: Network) -> Bool {
        spec.network.disabledDNS.contains { $0.value == network.key }
    }
}

extension GroupedStage {
    /// The labels of a group's pods for the networks of its services.
    func networkLabels(_ group: Group) -> [String: String] {
        guard isolates else { return [:] }
        return Dictionary(networks(of: group).map { (networkLabel($0), "true") }) { first, _ in first }
    }

    var isolates: Bool { spec.network.isolates && can(.kubernetesObjects) }

    /// The networks that the services of a pod are in, each once.
    func networks(of group: Group) -> [Network] {
        var result: OrderedDictionary<String, Network> = [:]
        func add(_ network: Network) { result["\(network.isExternal)/\(network.key)"] = network }
        for index in group.workloads {
            let workload = workloads[index]
            if workload.job != nil { layered.project.networks.values.forEach(add) }
            for key in workload.service.networks.keys {
                if let network = project(of: workload).networks[key] ?? layered.project.networks[key] { add(network) }
            }
        }
        return Array(result.values)
    }

    /// An external network has one name for all deployments, another belongs to this one.
    func networkLabel(_ network: Network) -> String {
        let name = Names.label(network.isExternal ? "external-\(network.name)" : network.key)
        return Keys.network + (name.utf8.count <= 54 ? name : Names.label(String(name.suffix(54))))
    }

    /// Whether the deployment's services are kept apart on podman.
    func asksForNetworks() -> Bool {
        guard can(.separateNetworks) else { return false }
        if spec.network.isolates { return true }
        return groups.contains { group in
            networks(of: group).contains { $0.isInternal == true }
                || group.workloads.contains { !fixedAddresses(workloads[$0]).isEmpty }
        }
    }
}

extension NetworkedStage {
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
}
