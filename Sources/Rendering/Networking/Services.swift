import Compose
import KubernetesObjects
import OrderedCollections
import YAML

extension Renderer {
    /// A Service for each compose service, each of its aliases, and its published ports; in the order of the files.
    mutating func renderServices(_ workloads: [Workload]) {
        var domains: Set<String> = []
        for unit in units where unit.fate != .initContainer {
            guard let group = groupOfUnit[unit.index] else { continue }
            let listeners = listeners(unit)
            let spec = serviceSpec(unit, group: groups[group], listeners)
            let labels = labels(unit.name, component: unit.component)
            if serviceNames[unit.name] == unit.service.name, unit.job == nil || !isKnown(unit.name) {
                services.append(ClusterService(metadata: metadata(unit.name, labels: labels), spec: spec))
            }
            for alias in hostnames(unit).dropFirst() { addAlias(alias, unit, spec: spec, labels: labels) }
            addPublished(unit, group: groups[group], listeners, labels: labels)
            if let domain = unit.service.domainname, Names.isServiceName(domain), domains.insert(domain).inserted {
                addDomain(domain, unit, group: groups[group])
            }
        }
    }

    private func isKnown(_ name: String) -> Bool { services.contains { $0.metadata.name == name } }

    private func serviceSpec(_ unit: ServiceWorkload, group: Group, _ listeners: [ServiceListener]) -> ServiceSpec {
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.selector = selector(group.name)
        let isHeadless =
            listeners.isEmpty || unit.service.deploy?.endpointMode == .dnsrr
            || options.can(.kubernetesObjects) && komposeReach(unit) == .headless
        if isHeadless { spec.clusterIP = "None" }
        if reachesItself(unit) { spec.publishNotReadyAddresses = true }
        if !listeners.isEmpty { spec.ports = listeners.map(servicePort) }
        return spec
    }

    private func servicePort(_ listener: ServiceListener) -> ClusterServicePort {
        var port = ClusterServicePort(
            name: listener.name, port: listener.port, targetPort: .int(listener.port), protocol: listener.protocol)
        port.appProtocol = listener.appProtocol
        return port
    }

    /// A service whose check or own settings go by its own name would wait for itself: a Service leads to ready pods only,
    /// and in compose the name resolves as soon as the container runs.
    private func reachesItself(_ unit: ServiceWorkload) -> Bool {
        guard let check = unit.service.healthcheck, !check.isDisabled, check.test != nil else { return false }
        var texts = unit.service.environment.values.map(\.text.masked)
        texts += (unit.service.command ?? []).map(\.masked) + (unit.service.entrypoint ?? []).map(\.masked)
        switch check.test {
        case .command(let words): texts += words.map(\.masked)
        case .shell(let line): texts.append(line.masked)
        case .some(.none), nil: break
        }
        return texts.contains { contains($0, unit.service.name) }
    }

    private mutating func addAlias(_ alias: String, _ unit: ServiceWorkload, spec: ServiceSpec, labels: StringMap) {
        let name = alias == unit.service.name ? unit.name : alias.lowercased()
        guard name != unit.name else { return }
        guard Names.isServiceName(name) else {
            // A name that was only made safe is warned of where somebody uses it.
            guard !options.can(.anyNames) else { return }
            report(
                unit, aliasKey(alias, unit),
                "\(alias) cannot be a Service's name: others do not reach the service by it",
                hint: "use a name of letters, digits and `-`, or \(unit.name)")
            return
        }
        if let owner = serviceNames[name] {
            guard owner != unit.service.name, !options.can(.anyNames) else { return }
            report(
                unit, aliasKey(alias, unit), "\(alias) leads to \(owner) already, and does not lead to this service too"
            )
            return
        }
        serviceNames[name] = unit.service.name
        services.append(
            ClusterService(
                metadata: metadata(name, labels: labels, annotations: [Keys.aliasOf: unit.service.name]), spec: spec))
    }

    /// The key that brought an alias.
    private func aliasKey(_ alias: String, _ unit: ServiceWorkload) -> String {
        if unit.service.containerName == alias { return "container_name" }
        if unit.service.hostname == alias { return "hostname" }
        return unit.service.networks.values.contains { $0.aliases.contains(alias) } ? "networks" : "links"
    }

    /// `host.domain` resolves where the pod's subdomain has a headless Service.
    private mutating func addDomain(_ domain: String, _ unit: ServiceWorkload, group: Group) {
        guard serviceNames[domain] == nil else { return }
        serviceNames[domain] = unit.service.name
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.clusterIP = "None"
        spec.selector = selector(group.name)
        services.append(
            ClusterService(
                metadata: metadata(
                    domain, labels: labels(unit.name, component: unit.component),
                    annotations: [Keys.aliasOf: unit.service.name]), spec: spec))
    }
}
