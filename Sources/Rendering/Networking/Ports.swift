import Compose
import KubernetesObjects
import Stacks

/// One port on which a service listens.
struct ServiceListener: Hashable {
    var port: Int
    var transport: String
    var name: String
    var appProtocol: String?

    /// `TCP`, `UDP`, `SCTP`.
    var `protocol`: String { transport.uppercased() }
}

extension Renderer {
    /// The ports of `ports` and `expose`, each once, in the order of the files, with unique names.
    func listeners(_ unit: Unit) -> [ServiceListener] {
        var result: [ServiceListener] = []
        var seen: Set<String> = []
        var names: Set<String> = []
        func add(_ port: Int, _ transport: Transport, _ name: String?, _ appProtocol: String?) {
            guard seen.insert("\(port)/\(transport.rawValue)").inserted else { return }
            let name = PortNames.name(name, port: port, transport: transport.rawValue, taken: &names)
            result.append(
                ServiceListener(port: port, transport: transport.rawValue, name: name, appProtocol: appProtocol))
        }
        for port in unit.service.ports { add(port.target, port.transport, port.name, port.appProtocol) }
        for port in unit.service.expose { add(port.port, port.transport, nil, nil) }
        return result
    }

    /// A container's ports. On podman a published port is one of the host.
    mutating func containerPorts(_ unit: Unit, pod: inout PodDraft) -> [ContainerPort]? {
        var result: [ContainerPort] = []
        let published =
            options.target == .podman
            ? Dictionary(grouping: unit.service.ports) { "\($0.target)/\($0.transport.rawValue)" } : [:]
        for listener in listeners(unit) {
            refuseSharedPort(listener, unit, pod: &pod)
            var port = ContainerPort(name: listener.name, containerPort: listener.port, protocol: listener.protocol)
            let mappings = published["\(listener.port)/\(listener.transport)"] ?? []
            for (index, mapping) in mappings.enumerated() {
                port.hostPort = hostPort(mapping, unit)
                port.hostIP = port.hostPort == nil ? nil : mapping.hostIP
                if port.hostPort != nil { pod.hasHostPorts = true }
                if index > 0 { port.name = nil }
                result.append(port)
            }
            if mappings.isEmpty { result.append(port) }
        }
        refuseReplicatedPorts(unit, result)
        return result.isEmpty ? nil : result
    }

    private func hostPort(_ mapping: PortMapping, _ unit: Unit) -> Int? {
        let key = RenderOptions.publishedPortKey(
            service: unit.service.name, port: mapping.target, transport: mapping.transport.rawValue)
        if let range = mapping.published, range.count == 1 { return range.lowerBound }
        return options.allocatedPorts[key] ?? mapping.published?.lowerBound
    }

    private mutating func refuseReplicatedPorts(_ unit: Unit, _ ports: [ContainerPort]) {
        let count = spec.replicas ?? unit.service.deploy?.replicas ?? unit.service.scale ?? 1
        guard count > 1, let port = ports.first(where: { $0.hostPort != nil }) else { return }
        refuse(
            unit, "ports", "\(count) replicas cannot share the host's port \(port.hostPort ?? 0)",
            mend: "publish no fixed port, or run one replica")
    }

    private mutating func refuseSharedPort(_ listener: ServiceListener, _ unit: Unit, pod: inout PodDraft) {
        let key = "\(listener.port)/\(listener.protocol)"
        if let other = pod.listeners.updateValue(unit.service.name, forKey: key) {
            refuse(
                unit, "ports", "\(other) listens on \(key) too, and both share a pod",
                mend: "let one of them listen elsewhere, or give them separate pods")
        }
    }
}
