import Compose
import OrderedCollections
import Specs
import YAML

/// Finds the networks of podman's own that the pods of a group are in.
struct AttachmentStep: StoringStep {
    let inputs: PodInputs
    let group: Group
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> [PodmanSettings.Attachment] {
        guard separatesNetworks else { return [] }
        var addresses: [String: String] = [:]
        for index in group.workloads {
            for (network, address) in fixedAddresses(workloads[index]) {
                addresses[podmanName(network)] = address
                check(address, network, workloads[index])
            }
        }
        return networks(of: group).map { network in
            PodmanSettings.Attachment(network: podmanName(network), address: addresses[podmanName(network)])
        }
    }

    private mutating func check(_ address: String, _ network: Network, _ workload: ServiceWorkload) {
        guard let pool = ipv4Pool(network) else { return }
        let key = "networks.\(network.key).ipv4_address"
        let mark = workload.service.networks[network.key]?.keys["ipv4_address"]
        func refuse(_ reason: String, _ hint: String) {
            reports.error("service \(workload.service.name): `\(key)`: \(reason)", at: mark, hint: hint)
        }
        guard ipv4Number(address).map(pool.subnet.hasMember) == true, address != pool.pool.gateway else {
            return refuse(
                "\(address) is not available in \(pool.subnet)",
                "choose an address of the subnet that is not its first, its last or the gateway's")
        }
        let place = "\(podmanName(network))/\(address)"
        if let other = shared.addresses.updateValue(group.name, forKey: place), other != group.name {
            return refuse("\(address) is that of \(other) already", "choose another one")
        }
        if spec.replicas[workload.service.name] ?? workload.service.deploy?.replicas ?? workload.service.scale ?? 1 > 1
        {
            refuse("several replicas cannot have one address", "remove it, or run one replica")
        }
    }
}
