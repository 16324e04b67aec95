import Compose
import KubernetesObjects
import OrderedCollections

extension Renderer {
    /// hostname and domainname.
    mutating func addHostNames(_ unit: Unit, to pod: inout PodDraft) {
        if let hostname = unit.service.hostname { addHostname(hostname, unit, to: &pod) }
        guard let domain = unit.service.domainname else { return }
        guard Names.isServiceName(domain) else {
            if options.target == .podman {
                report(unit, "domainname", "podman has no domain names: \(domain) is not known to the container")
                return
            }
            report(
                unit, "domainname", "\(domain) lies outside the cluster's domain: the name is not known to the pod",
                hint: "use a single label, or reach the service by its name")
            return
        }
        set(\.subdomain, to: domain, key: "domainname", of: unit, in: &pod)
    }

    private mutating func addHostname(_ hostname: String, _ unit: Unit, to pod: inout PodDraft) {
        guard unit.service.networkMode != "host" else {
            report(unit, "hostname", "a pod on the node's network has the node's name")
            return
        }
        // hostname: db.example.com is host and domain in one; the pod can have the first label only.
        let name = Names.label(hostname.split(separator: ".").first.map(String.init) ?? hostname)
        if name != hostname, options.target != .podman {
            report(unit, "hostname", "\(hostname) is not one DNS label: the pod's name is \(name)")
        }
        if !name.isEmpty { set(\.hostname, to: name, key: "hostname", of: unit, in: &pod) }
    }

    /// dns, dns_search, dns_opt and extra_hosts. The cluster's own resolution stays, so that services find each other.
    mutating func addResolution(_ unit: Unit, to pod: inout PodDraft) {
        let service = unit.service
        if !service.dns.isEmpty || !service.dnsSearch.isEmpty || !service.dnsOpt.isEmpty {
            var config = pod.spec.dnsConfig ?? PodDNSConfig()
            config.nameservers = union(config.nameservers, service.dns, limit: 3, "dns", unit)
            config.searches = union(
                config.searches, service.dnsSearch.filter { $0 != "." }, limit: 32, "dns_search", unit)
            let options = service.dnsOpt.map { option in
                let parts = option.split(separator: ":", maxSplits: 1).map(String.init)
                return PodDNSConfig.Option(name: parts.first ?? option, value: parts.count == 2 ? parts[1] : nil)
            }
            if !options.isEmpty {
                config.options = (config.options ?? []) + options.filter { config.options?.contains($0) != true }
            }
            pod.spec.dnsConfig = config
            pod.spec.dnsPolicy = pod.spec.dnsPolicy ?? "ClusterFirst"
        }
        addHostAliases(unit, to: &pod)
    }

    private mutating func union(
        _ list: [String]?, _ more: [String], limit: Int, _ key: String, _ unit: Unit
    ) -> [String]? {
        var result = list ?? []
        for item in more where !result.contains(item) { result.append(item) }
        if result.count > limit {
            report(unit, key, "a pod takes \(limit) of them: the others are left out")
            result.removeLast(result.count - limit)
        }
        return result.isEmpty ? nil : result
    }

    private mutating func addHostAliases(_ unit: Unit, to pod: inout PodDraft) {
        var aliases = pod.spec.hostAliases ?? []
        for entry in unit.service.extraHosts {
            guard let address = address(entry, unit) else { continue }
            if let index = aliases.firstIndex(where: { $0.ip == address }) {
                if !aliases[index].hostnames.contains(entry.host) { aliases[index].hostnames.append(entry.host) }
            } else {
                aliases.append(HostAlias(ip: address, hostnames: [entry.host]))
            }
        }
        if !aliases.isEmpty { pod.spec.hostAliases = aliases }
    }

    private mutating func address(_ entry: ExtraHost, _ unit: Unit) -> String? {
        guard entry.address == "host-gateway" else { return entry.address }
        // podman knows the address when it makes the container, as docker does.
        if options.target == .podman { return options.hostGateway ?? "host-gateway" }
        if let gateway = options.hostGateway { return gateway }
        report(
            unit, "extra_hosts", at: entry.mark,
            "host-gateway: no address is the host's in a cluster: \(entry.host) is left out",
            hint: "write the address itself")
        return nil
    }

    /// group_add and sysctls.
    mutating func addGroupsAndSysctls(_ unit: Unit, to pod: inout PodDraft) {
        var context = pod.spec.securityContext ?? PodSecurityContext()
        for group in unit.service.groupAdd {
            guard let number = userNumber(group) else {
                if options.target == .podman { continue }
                refuse(
                    unit, "group_add", "`\(group)` is a name, Kubernetes takes numbers only",
                    hint: "write the group's number in the image")
                continue
            }
            if context.supplementalGroups?.contains(number) != true {
                context.supplementalGroups = (context.supplementalGroups ?? []) + [number]
            }
        }
        for (name, value) in unit.service.sysctls {
            if let other = context.sysctls?.first(where: { $0.name == name }) {
                guard other.value != value else { continue }
                refuse(
                    unit, "sysctls", "\(name) differs within the pod that the service shares",
                    hint: "write the same value")
            } else {
                context.sysctls = (context.sysctls ?? []) + [Sysctl(name: name, value: value)]
            }
        }
        pod.spec.securityContext = context == PodSecurityContext() ? nil : context
    }
}
