import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Renders the Services: what others reach a service by.
struct ServiceStage: GroupedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    /// What has each Service name: a compose service or one of its aliases.
    var serviceNames: [String: String]
    var services: [ClusterService] = []
    /// See ``RenderedDeployment/wantedPorts``.
    var wantedPorts: [String: Int] = [:]
    /// The ports of nodes that are spoken for, as `30080/tcp`.
    var takenNodePorts: Set<String> = []
    var reports = ReportCollector()

    mutating func run() -> RenderedServices {
        renderServices()
        renderExternalServices()
        return RenderedServices(services: services, endpoints: externalEndpoints, wantedPorts: wantedPorts)
    }
}

struct RenderedServices {
    var services: [ClusterService]
    /// The addresses behind services of elsewhere.
    var endpoints: [EndpointSlice]
    /// See ``RenderedDeployment/wantedPorts``.
    var wantedPorts: [String: Int]
}

extension RenderedServices: CustomStringConvertible {
    var description: String {
        let services = services.map { service in
            let ports = (service.spec.ports ?? []).map { "\($0.port)/\($0.protocol)" }
            return "\(service.metadata.name ?? "")\(ports.isEmpty ? "" : ": ")\(ports.joined(separator: ", "))"
        }
        let wanted = wantedPorts.sorted { $0.key < $1.key }.map { "host port \($0.value) of \($0.key)" }
        return (services + wanted).joined(separator: "\n")
    }
}
