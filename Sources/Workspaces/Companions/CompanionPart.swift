import OrderedCollections
import YAML

/// Databases and the project's services as a part of a session's stack: each at an address of its own, found by name through the egress.
struct CompanionPart {
    let databases: Companions
    let services: ProjectServices
    let network: SessionNetwork

    /// Addresses by name: of companions, and of the egress where that leads to a service of this host.
    var hosts: [String: String] {
        var result: [String: String] = [:]
        for service in databases.hostServices { result[service.name] = network.egress }
        for (number, name) in names.enumerated() {
            for alias in [name] + (services.names[name] ?? []) { result[alias] = network.companion(number, name) }
        }
        return result
    }

    private var names: [String] { Array(databases.services.keys) + Array(services.services.keys) }

    /// - Throws: ``WorkspaceError`` (`invalid`) where two companions have one name, or there are too many.
    func part() throws(WorkspaceError) -> StackPart {
        try check()
        var part = StackPart()
        for (number, name) in names.enumerated() {
            let node = databases.services[name] ?? services.services[name] ?? .map([])
            part.services[name] = placed(node, number)
            if node.mapping?["healthcheck"] != nil { part.agentDependencies[name] = "service_healthy" }
        }
        part.volumes = Dictionary(uniqueKeysWithValues: databases.volumes.map { ($0.key, $0.value) })
        part.volumes.merge(services.volumes.map { ($0.key, $0.value) }) { $1 }
        part.configs = services.configs
        part.secrets = services.secrets
        part.folders = services.folders
        part.config = Dictionary(uniqueKeysWithValues: databases.config.map { ($0.key, $0.value) })
        part.agentReferences = Dictionary(uniqueKeysWithValues: databases.agentEnvironment.map { ($0.key, $0.value) })
        part.hostServices = databases.hostServices
        return part
    }

    private func check() throws(WorkspaceError) {
        if let name = services.services.keys.first(where: { databases.services[$0] != nil }) {
            throw WorkspaceError(
                .invalid, "`databases:` and the compose file both have \(name)",
                hint: "take it out of `databases:`, or choose others with `services:`")
        }
        guard names.count <= SessionAddresses.companionLimit else {
            throw WorkspaceError(
                .invalid, "a session has at most \(SessionAddresses.companionLimit) companions, not \(names.count)",
                hint: "choose some with `services:`")
        }
    }

    private func placed(_ node: Node, _ number: Int) -> Node {
        var keys = (node.mapping?.entries ?? []).map { ($0.key, $0.value) }
        let place = Node.map(network.place { $0.companion(number) }.map { ($0.0, .string($0.1)) })
        keys.append(("networks", .map([(StackPart.insideNetwork, place)])))
        if let address = network.egressAddress { keys.append(("dns", .list([.string(address)]))) }
        return .map(keys)
    }
}
