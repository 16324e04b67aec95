import Compose
import KubernetesObjects
import OrderedCollections
import YAML

extension ServiceStage {
    /// A Service for each compose service, each of its aliases, and its published ports; in the order of the files.
    mutating func renderServices() {
        var domains: Set<String> = []
        for workload in workloads where workload.kind != .initContainer {
            guard let group = groupOfWorkload[workload.index] else { continue }
            let listeners = listeners(workload)
            let spec = serviceSpec(workload, group: groups[group], listeners)
            let labels = labels(workload.name, component: workload.component)
            if serviceNames[workload.name] == workload.service.name, workload.job == nil || !isKnown(workload.name) {
                services.append(ClusterService(metadata: metadata(workload.name, labels: labels), spec: spec))
            }
            for alias in hostnames(workload).dropFirst() { addAlias(alias, workload, spec: spec, labels: labels) }
            addPublished(workload, group: groups[group], listeners, labels: labels)
            if let domain = workload.service.domainname, Names.isServiceName(domain), domains.insert(domain).inserted {
                addDomain(domain, workload, group: groups[group])
            }
        }
    }

    private func isKnown(_ name: String) -> Bool { services.contains { $0.metadata.name == name } }

    private func serviceSpec(_ workload: ServiceWorkload, group: Group, _ listeners: [ServiceListener]) -> ServiceSpec {
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.selector = selector(group.name)
        let isHeadless =
            listeners.isEmpty || workload.service.deploy?.endpointMode == .dnsrr
            || can(.kubernetesObjects) && komposeReach(workload) == .headless
        if isHeadless { spec.clusterIP = "None" }
        if reachesItself(workload) { spec.publishNotReadyAddresses = true }
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
    private func reachesItself(_ workload: ServiceWorkload) -> Bool {
        guard let check = workload.service.healthcheck, !check.isDisabled, check.test != nil else { return false }
        var texts = workload.service.environment.values.map(\.text.masked)
        texts += (workload.service.command ?? []).map(\.masked) + (workload.service.entrypoint ?? []).map(\.masked)
        switch check.test {
        case .command(let words): texts += words.map(\.masked)
        case .shell(let line): texts.append(line.masked)
        case .some(.none), nil: break
        }
        return texts.contains { contains($0, workload.service.name) }
    }

    private mutating func addAlias(_ alias: String, _ workload: ServiceWorkload, spec: ServiceSpec, labels: StringMap) {
        let name = alias == workload.service.name ? workload.name : alias.lowercased()
        guard name != workload.name else { return }
        guard Names.isServiceName(name) else {
            // A name that was only made safe is warned of where somebody uses it.
            guard !can(.anyNames) else { return }
            report(
                workload, aliasKey(alias, workload),
                "\(alias) cannot be a Service's name: others do not reach the service by it",
                hint: "use a name of letters, digits and `-`, or \(workload.name)")
            return
        }
        if let owner = serviceNames[name] {
            guard owner != workload.service.name, !can(.anyNames) else { return }
            report(
                workload, aliasKey(alias, workload),
                "\(alias) already resolves to \(owner), and does not resolve to this service too"
            )
            return
        }
        serviceNames[name] = workload.service.name
        services.append(
            ClusterService(
                metadata: metadata(name, labels: labels, annotations: [Keys.aliasOf: workload.service.name]), spec: spec
            ))
    }

    /// The key that brought an alias.
    private func aliasKey(_ alias: String, _ workload: ServiceWorkload) -> String {
        if workload.service.containerName == alias { return "container_name" }
        if workload.service.hostname == alias { return "hostname" }
        return workload.service.networks.values.contains { $0.aliases.contains(alias) } ? "networks" : "links"
    }

    /// `host.domain` resolves where the pod's subdomain has a headless Service.
    private mutating func addDomain(_ domain: String, _ workload: ServiceWorkload, group: Group) {
        guard serviceNames[domain] == nil else { return }
        serviceNames[domain] = workload.service.name
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.clusterIP = "None"
        spec.selector = selector(group.name)
        services.append(
            ClusterService(
                metadata: metadata(
                    domain, labels: labels(workload.name, component: workload.component),
                    annotations: [Keys.aliasOf: workload.service.name]), spec: spec))
    }
}
