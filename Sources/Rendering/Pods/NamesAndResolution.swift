import Compose
import KubernetesObjects
import OrderedCollections
import YAML

/// Renders a service's dns, dns_search, dns_opt and extra_hosts. The cluster's own resolution stays, so that services find each other.
struct ResolutionStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        let service = workload.service
        if !service.dns.isEmpty || !service.dnsSearch.isEmpty || !service.dnsOpt.isEmpty {
            var config = pod.spec.dnsConfig ?? PodDNSConfig()
            let servers = service.dns.filter { isSound($0, AddressText.isValid($0), "an IP address", "dns") }
            config.nameservers = union(config.nameservers, servers, limit: 3, "dns")
            let domains = searchDomains()
            config.searches = union(config.searches, domains, limit: 32, "dns_search")
            let options = service.dnsOpt.map { option in
                let parts = option.split(separator: ":", maxSplits: 1).map(String.init)
                return PodDNSConfig.Option(name: parts.first ?? option, value: parts.count == 2 ? parts[1] : nil)
            }
            if !options.isEmpty {
                config.options = (config.options ?? []) + options.filter { config.options?.contains($0) != true }
            }
            pod.spec.dnsConfig = config
            pod.spec.dnsPolicy = pod.spec.dnsPolicy ?? (isWithoutDNS() ? "None" : "ClusterFirst")
        }
        addHostAliases()
    }

    /// `.` or an empty text alone are no domains: those of the host are not wanted.
    private mutating func searchDomains() -> [String] {
        let written = workload.service.dnsSearch
        let domains = written.filter { $0 != "." && !$0.isEmpty }
        if domains.isEmpty, !written.isEmpty {
            if can(.anyNames) { return ["."] }
            report(workload, "dns_search", "a pod keeps the search domains of the cluster and its nodes")
        }
        return domains.filter {
            let name = $0.hasSuffix(".") ? String($0.dropLast()) : $0
            return isSound($0, Names.isSubdomain(name), "a domain", "dns_search")
        }
    }

    /// Whether the spec switches the name server off in every network that the service is in: its own `dns` is all it has then.
    private func isWithoutDNS() -> Bool {
        let networks = workload.service.networks.keys.compactMap { project(of: workload).networks[$0] }
        return !workload.service.dns.isEmpty && !networks.isEmpty && networks.allSatisfy(isDNSDisabled)
    }

    /// Reports what Kubernetes does not take; podman judges by itself.
    private mutating func isSound(_ text: String, _ sound: Bool, _ kind: String, _ key: String)
        -> Bool
    {
        if sound || can(.anyNames) { return true }
        report(workload, key, "\(text) is not \(kind) and is left out")
        return false
    }

    private mutating func union(_ list: [String]?, _ more: [String], limit: Int, _ key: String) -> [String]? {
        var result = list ?? []
        for item in more where !result.contains(item) { result.append(item) }
        if result.count > limit {
            report(workload, key, "a pod takes \(limit) of them: the others are left out")
            result.removeLast(result.count - limit)
        }
        return result.isEmpty ? nil : result
    }

    private mutating func addHostAliases() {
        var aliases = pod.spec.hostAliases ?? []
        for entry in workload.service.extraHosts {
            guard let address = address(entry), let host = aliasName(entry) else { continue }
            if let index = aliases.firstIndex(where: { $0.ip == address }) {
                if !aliases[index].hostnames.contains(host) { aliases[index].hostnames.append(host) }
            } else {
                aliases.append(HostAlias(ip: address, hostnames: [host]))
            }
        }
        if !aliases.isEmpty { pod.spec.hostAliases = aliases }
    }

    /// A name as Kubernetes takes it into the hosts file. Capitals make no difference to who looks a name up; `_` cannot be had.
    private mutating func aliasName(_ entry: ExtraHost) -> String? {
        guard !can(.anyNames) else { return entry.host }
        let name = entry.host.lowercased()
        if Names.isSubdomain(name) { return name }
        report(
            workload, "extra_hosts", at: entry.mark,
            "invalid host name `\(entry.host)`: Kubernetes writes DNS names alone into a hosts file; it is left out",
            hint: "use a name of letters, digits, `-` and `.`")
        return nil
    }

    private mutating func address(_ entry: ExtraHost) -> String? {
        guard entry.address == "host-gateway" else { return entry.address }
        // podman knows the address when it makes the container, as docker does.
        if can(.oneHost) { return options.hostGateway ?? "host-gateway" }
        if let gateway = options.hostGateway { return gateway }
        report(
            workload, "extra_hosts", at: entry.mark,
            "host-gateway: a cluster has no address of the host: \(entry.host) is left out",
            hint: "write the address itself")
        return nil
    }
}
