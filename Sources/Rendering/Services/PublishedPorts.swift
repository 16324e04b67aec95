import Compose
import KubernetesObjects

extension ServiceStage {
    /// A NodePort Service for what a service publishes; podman publishes by the container's own ports.
    mutating func addPublished(
        _ workload: ServiceWorkload, group: Group, _ listeners: [ServiceListener], labels: StringMap
    ) {
        guard can(.nodes) else { return }
        let reach = komposeReach(workload)
        guard reach != .clusterIP, reach != .headless else { return }
        var ports = publishedPorts(workload, group, listeners, isAsked: reach != nil)
        guard !ports.isEmpty else { return }
        if reach == .nodePort, listeners.count == 1, let port = komposeNodePort(workload) { ports[0].nodePort = port }
        var spec = ServiceSpec()
        // kind has nobody who would give out addresses.
        spec.type = reach == .loadBalancer && can(.manyNodes) ? "LoadBalancer" : "NodePort"
        spec.selector = selector(group.name)
        spec.ports = ports
        var name = Names.label("\(workload.name)-nodeport")
        while serviceNames[name] != nil { name = Names.label("\(name)-x") }
        serviceNames[name] = workload.service.name
        services.append(
            ClusterService(
                metadata: metadata(name, labels: labels, annotations: [Keys.aliasOf: workload.service.name]), spec: spec
            ))
    }

    /// - Parameter isAsked: whether a label asks for all ports, also those that are not published.
    private mutating func publishedPorts(
        _ workload: ServiceWorkload, _ group: Group, _ listeners: [ServiceListener], isAsked: Bool
    ) -> [ClusterServicePort] {
        var ports: [ClusterServicePort] = []
        for listener in listeners {
            let mappings = workload.service.ports.filter {
                $0.target == listener.port && $0.transport.rawValue == listener.transport
            }
            guard isAsked || mappings.first != nil, isPublic(mappings, workload) else { continue }
            var port = ClusterServicePort(
                name: listener.name, port: listener.port, targetPort: .int(listener.port), protocol: listener.protocol)
            port.nodePort =
                options.allocatedPorts[
                    RenderOptions.publishedPortKey(
                        service: workload.service.name, port: listener.port, transport: listener.transport)]
                ?? writtenNodePort(mappings)
            if let wanted = mappings.lazy.compactMap(\.published).first, wanted.count == 1 {
                let key = RenderOptions.publishedPortKey(
                    service: group.name, port: listener.port, transport: listener.transport)
                wantedPorts[key] = wanted.lowerBound
            }
            ports.append(port)
        }
        return ports
    }

    /// A published number that a node may have is kept: it is the number that others were told. Each can be had once.
    private mutating func writtenNodePort(_ mappings: [PortMapping]) -> Int? {
        for mapping in mappings {
            guard let range = mapping.published, range.count == 1, ServiceReach.nodePorts.contains(range.lowerBound),
                takenNodePorts.insert("\(range.lowerBound)/\(mapping.transport.rawValue)").inserted
            else { continue }
            return range.lowerBound
        }
        return nil
    }

    /// What is published on the loopback address alone must not become reachable from everywhere. kind's node ports are on
    /// the host's loopback address anyway.
    private mutating func isPublic(_ mappings: [PortMapping], _ workload: ServiceWorkload) -> Bool {
        reportAddresses(mappings, workload)
        guard can(.manyNodes), let first = mappings.first else { return true }
        let isLocal = mappings.allSatisfy {
            $0.hostIP.map(Self.isLoopback) ?? false
        }
        guard isLocal else { return true }
        report(
            workload, "ports", at: first.mark,
            "\(first.target) is published on \(first.hostIP ?? "") only: in a cluster it is not published",
            hint: "reach it with `so deployment port-forward`")
        return false
    }

    private static func isLoopback(_ address: String) -> Bool {
        address.hasPrefix("127.") || address == "::1" || address == "localhost"
    }

    /// One address of a host among several is not to be had in a cluster.
    private mutating func reportAddresses(_ mappings: [PortMapping], _ workload: ServiceWorkload) {
        guard can(.nodes) else { return }
        for mapping in mappings {
            guard let address = mapping.hostIP, !["", "0.0.0.0", "::"].contains(address), !Self.isLoopback(address)
            else { continue }
            report(
                workload, "ports.[].host_ip", at: mapping.mark,
                "\(mapping.target) is published on \(can(.mappedNode) ? "127.0.0.1" : "every node"), not on \(address)"
            )
        }
    }
}
