import ExternalTools
import KubernetesObjects
import Rendering
import Specs
import YAML

extension PodTranslator {
    /// The network, names, ports and resolver of a pod: for `podman pod create` or `podman run`.
    mutating func networkOptions(
        _ workload: Workload, _ template: PodTemplateSpec, ports: [HostPort], labels: [String: String]
    ) -> [PodmanOption] {
        let spec = template.spec
        let hostname = workload.podman.hostname ?? spec.hostname
        var options: [PodmanOption] = hostname.map { [.whole("--hostname", $0)] } ?? []
        if spec.hostNetwork == true {
            options.append(.whole("--network", "host"))
        } else if index.isIsolated(labels) {
            return options + [.whole("--network", "none")]
        } else {
            let places = attachments(workload)
            guard !places.isEmpty else { return options + [.whole("--network", "none")] }
            options += places
            options += aliases(workload, labels).map { .element("--network-alias", $0) }
            options += ports.map { .element("--publish", publication($0)) }
            options += sealing(workload)
        }
        for entry in hostEntries(workload, spec) {
            if entry.address == nil, isInside(workload) {
                findings.error(
                    "\(workload.name): \(entry.name) should resolve to this host, but all of the service's networks are internal",
                    at: nil, hint: "give the service a network that is not internal, or remove the name")
                continue
            }
            add(&options, workload.name) { () throws(UnwritablePart) in try .host(entry.name, address: entry.address) }
        }
        return options + resolver(workload, spec)
    }

    /// Where the pod is, with the address that it has there for good.
    private func attachments(_ workload: Workload) -> [PodmanOption] {
        guard !model.rendered.networks.isEmpty else { return [.whole("--network", model.namespace)] }
        return workload.podman.networks.map { place in
            let name = PodmanNames.network(model.namespace, place.network)
            return .whole("--network", place.address.map { "\(name):ip=\($0)" } ?? name)
        }
    }

    /// The networks that a workload's pods are in, where the deployment keeps any apart.
    func networks(of workload: Workload) -> [PodmanNetwork] {
        let names = Set(workload.podman.networks.map(\.network))
        return model.rendered.networks.filter { names.contains($0.name) }
    }

    /// Whether no network of the workload leads out.
    private func isInside(_ workload: Workload) -> Bool {
        let networks = networks(of: workload)
        return !networks.isEmpty && networks.allSatisfy(\.isInternal)
    }

    /// The host's end of a bridge has an IPv6 address of its own, by which a pod would reach what listens on the host.
    private func sealing(_ workload: Workload) -> [PodmanOption] {
        guard isInside(workload) else { return [] }
        return ["all", "default"].map { .element("--sysctl", "net.ipv6.conf.\($0).disable_ipv6=1") }
    }

    /// Every name under which the others reach this pod: those of the compose files, and of the Services that select it.
    private func aliases(_ workload: Workload, _ labels: [String: String]) -> [String] {
        let selecting = index.services.filter { service in
            guard let selector = service.spec.selector, !selector.isEmpty else { return false }
            return selector.values.allSatisfy { labels[$0.key] == $0.value }
        }
        return Set(workload.hostnames.values.joined()).union(selecting.compactMap(\.metadata.name)).sorted()
    }

    /// The host's ports of one replica: the first has those of the containers, the others those of the pod's settings, since a
    /// host has each port once.
    mutating func hostPorts(_ workload: Workload, _ spec: PodSpec, replica: Int) -> [HostPort] {
        guard spec.hostNetwork != true else { return [] }
        var ports: [HostPort] = []
        for container in spec.containers {
            for port in container.ports ?? [] {
                guard let first = port.hostPort else { continue }
                let transport = port.protocol.lowercased()
                let list = workload.podman[container.name].hostPorts["\(first)/\(transport)"]
                let own = list ?? [first]
                if replica == 2, list == nil { warnOfFirstReplica(workload, first) }
                guard replica <= own.count else { continue }
                ports.append(
                    HostPort(
                        address: port.hostIP ?? "", port: own[replica - 1], containerPort: port.containerPort,
                        transport: transport))
            }
        }
        for port in ports where replica == 1 && port.address.contains(":") {
            findings.warning(
                "\(workload.name): nothing answers on [\(port.address)]:\(port.port): podman's network has IPv4 only",
                at: nil, hint: "publish on 127.0.0.1, or leave the address out")
        }
        return ports
    }

    private mutating func warnOfFirstReplica(_ workload: Workload, _ port: Int) {
        findings.warning(
            "\(workload.name): host port \(port) reaches only the first of its replicas", at: nil,
            hint: "let a proxy in the stack publish the port; the name \(workload.name) reaches all of them")
    }

    private func publication(_ port: HostPort) -> String {
        let address = port.address.contains(":") ? "[\(port.address)]:" : port.address.isEmpty ? "" : port.address + ":"
        return "\(address)\(port.port):\(port.containerPort)/\(port.transport)"
    }

    /// A name that stands in a pod's hosts file.
    private struct HostEntry {
        var name: String
        /// Nil: the network's gateway.
        var address: String?
    }

    private func hostEntries(_ workload: Workload, _ spec: PodSpec) -> [HostEntry] {
        var entries = (spec.hostAliases ?? []).flatMap { alias in
            alias.hostnames.map { HostEntry(name: $0, address: alias.ip == "host-gateway" ? nil : alias.ip) }
        }
        for slice in index.endpoints {
            let service = slice.metadata.labels?["kubernetes.io/service-name"] ?? slice.metadata.name ?? ""
            if let address = slice.endpoints.first?.addresses.first, isAddress(address) {
                entries.append(HostEntry(name: service, address: address))
            }
        }
        for service in index.services {
            if let external = service.spec.externalName, isAddress(external), let name = service.metadata.name {
                entries.append(HostEntry(name: name, address: external))
            }
        }
        guard spec.hostNetwork != true else { return entries }
        // What runs on the host's own network has no name in the deployment's: the host's address stands for it.
        for other in model.rendered.workloads where other.name != workload.name {
            guard model.rendered.podTemplate(of: other)?.spec.hostNetwork == true else { continue }
            entries += Set(other.hostnames.values.joined()).union([other.name]).sorted()
                .map { HostEntry(name: $0, address: nil) }
        }
        return entries
    }

    private func isWithoutDNS(_ workload: Workload) -> Bool {
        let networks = networks(of: workload)
        return !networks.isEmpty && networks.allSatisfy { !$0.hasDNS }
    }

    private mutating func resolver(_ workload: Workload, _ spec: PodSpec) -> [PodmanOption] {
        guard let dns = spec.dnsConfig else { return [] }
        var own: [PodmanOption] = []
        if let servers = dns.nameservers, !servers.isEmpty, isWithoutDNS(workload) {
            own = servers.map { .element("--dns", $0) }
        } else if let servers = dns.nameservers, !servers.isEmpty {
            findings.warning(
                "\(workload.name): dns \(servers.joined(separator: ", ")) is left out: podman would no longer resolve "
                    + "the services' names", at: nil, hint: "set the name server of the host")
        }
        let searches = (dns.searches ?? []).map { PodmanOption.element("--dns-search", $0) }
        return own + searches
            + (dns.options ?? []).map { option in
                .element("--dns-option", option.name + (option.value.map { ":\($0)" } ?? ""))
            }
    }
}
