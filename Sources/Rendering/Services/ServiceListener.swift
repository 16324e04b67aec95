import Compose
import Specs

/// One port on which a service listens.
struct ServiceListener: Hashable {
    var port: Int
    var transport: String
    var name: String
    var appProtocol: String?

    /// `TCP`, `UDP`, `SCTP`.
    var `protocol`: String { transport.uppercased() }
}

extension RenderStage {
    /// The ports of `ports` and `expose`, each once, in the order of the files, with unique names; of a service that says nothing of its ports
    /// those to which the spec's routes lead.
    func listeners(_ workload: ServiceWorkload) -> [ServiceListener] {
        var result: [ServiceListener] = []
        var seen: Set<String> = []
        var names: Set<String> = []
        func add(_ port: Int, _ transport: Transport, _ name: String?, _ appProtocol: String?) {
            guard seen.insert("\(port)/\(transport.rawValue)").inserted else { return }
            let name = PortNames.name(name, port: port, transport: transport.rawValue, taken: &names)
            result.append(
                ServiceListener(port: port, transport: transport.rawValue, name: name, appProtocol: appProtocol))
        }
        for port in workload.service.ports {
            let application = port.appProtocol.flatMap { Names.isQualifiedName($0) ? $0 : nil }
            add(port.target, port.transport, port.name, application)
        }
        for port in workload.service.expose { add(port.port, port.transport, nil, nil) }
        if result.isEmpty { for port in routedPorts(workload) { add(port, .tcp, nil, nil) } }
        return result
    }

    private func routedPorts(_ workload: ServiceWorkload) -> [Int] {
        guard workload.job == nil, workload.kind != .initContainer else { return [] }
        let targets =
            spec.network.httpProxies.flatMap(\.routes).map(\.proxyTo)
            + [spec.maintenanceService?.value].compactMap { $0 }
        return targets.filter { $0.service == workload.service.name }.map(\.port)
    }
}
