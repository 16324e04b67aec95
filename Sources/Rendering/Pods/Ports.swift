import Compose
import KubernetesObjects
import Specs

/// Renders a container's ports. On podman a published port is one of the host.
struct PortStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    /// Protocols of applications that a Service cannot name.
    private mutating func reportApplicationProtocols() {
        for port in workload.service.ports {
            guard let name = port.appProtocol, !name.isEmpty, !Names.isQualifiedName(name) else { continue }
            report(
                workload, "ports.[].app_protocol", at: port.mark,
                "`\(name)` cannot be a Service's protocol and is left out",
                hint: "write a name such as http, or example.com/name")
        }
    }

    mutating func run() -> [ContainerPort]? {
        reportApplicationProtocols()
        var result: [ContainerPort] = []
        let published =
            can(.oneHost)
            ? Dictionary(grouping: workload.service.ports) { "\($0.target)/\($0.transport.rawValue)" } : [:]
        for listener in listeners(workload) {
            refuseSharedPort(listener)
            var port = ContainerPort(name: listener.name, containerPort: listener.port, protocol: listener.protocol)
            let mappings = published["\(listener.port)/\(listener.transport)"] ?? []
            var open = 0
            for (index, mapping) in mappings.enumerated() {
                if mapping.published?.count != 1 { open += 1 }
                port.hostPort = hostPort(mapping, ordinal: open)
                port.hostIP = port.hostPort == nil ? nil : mapping.hostIP
                if port.hostPort != nil { pod.hasHostPorts = true }
                if index > 0 { port.name = nil }
                result.append(port)
            }
            if mappings.isEmpty { result.append(port) }
        }
        return result.isEmpty ? nil : result
    }

    /// The host's port of a mapping on podman; further replicas have theirs in the pod's settings.
    private mutating func hostPort(_ mapping: PortMapping, ordinal: Int) -> Int? {
        let count =
            spec.replicas[workload.service.name] ?? workload.service.deploy?.replicas ?? workload.service.scale ?? 1
        if let range = mapping.published, range.count == 1 {
            if count > 1 {
                refuse(
                    workload, "ports", at: mapping.mark,
                    "\(count) replicas cannot share the host's port \(range.lowerBound)",
                    hint:
                        "publish a range, such as \"\(range.lowerBound)-\(range.lowerBound + count - 1):\(mapping.target)\","
                        + " no fixed port, or run one replica")
            }
            return range.lowerBound
        }
        if let range = mapping.published, range.count < count {
            refuse(
                workload, "ports", at: mapping.mark,
                "the range \(range.lowerBound)-\(range.upperBound) has \(range.count) ports for \(count) replicas",
                hint: "publish a wider range, or run fewer replicas")
            return range.lowerBound
        }
        let ports = (1...max(1, count)).compactMap { openPort(mapping, ordinal: ordinal, replica: $0) }
        if ports.count > 1, let first = ports.first {
            pod.podman[workload.name].hostPorts["\(first)/\(mapping.transport.rawValue)"] = ports
        }
        return ports.first
    }

    /// A port that was chosen when the deployment first started, else the first of the range that nobody here has.
    private mutating func openPort(_ mapping: PortMapping, ordinal: Int, replica: Int) -> Int? {
        let transport = mapping.transport.rawValue
        let key = RenderOptions.publishedPortKey(
            service: workload.service.name, port: mapping.target, transport: transport, ordinal: ordinal,
            replica: replica)
        let port =
            options.allocatedPorts[key]
            ?? mapping.published.flatMap { range in
                range.first { !shared.hostPorts.contains("\($0)/\(transport)") } ?? range.lowerBound
            }
        if let port { shared.hostPorts.insert("\(port)/\(transport)") }
        return port
    }

    private mutating func refuseSharedPort(_ listener: ServiceListener) {
        let key = "\(listener.port)/\(listener.protocol)"
        if let other = pod.listeners.updateValue(workload.service.name, forKey: key) {
            refuse(
                workload, "ports", "\(other) listens on \(key) too, and both share a pod",
                hint: "let one of them listen elsewhere, or give them separate pods")
        }
    }
}

extension CollectedStage {
    /// The host's ports that mappings name.
    func fixedHostPorts() -> Set<String> {
        var result: Set<String> = []
        for workload in workloads {
            for mapping in workload.service.ports {
                guard let range = mapping.published, range.count == 1 else { continue }
                result.insert("\(range.lowerBound)/\(mapping.transport.rawValue)")
            }
        }
        return result
    }
}
