import Compose
import OrderedCollections
import Rendering
import Runtimes
import Specs
import YAML

extension DeploymentDirectory {
    private var ports: AllocatedPorts { AllocatedPorts(file: "\(stateDirectory)/ports.yml") }

    func allocatedPorts() throws -> [String: Int] { try ports.read() }

    /// The caller holds the lock.
    func allocatePorts(for project: LayeredProject) throws -> [String: Int] { try ports.allocate(for: project) }
}

/// The host ports of mappings that name none or a range, by ``RenderOptions/publishedPortKey(service:port:transport:ordinal:replica:)``.
struct AllocatedPorts {
    /// Absolute, in the deployment's state directory.
    let file: String

    func read() throws -> [String: Int] {
        guard let bytes = try Files.readIfPresent(file) else { return [:] }
        let entries = try loadYAMLDocument(bytes, file: file).mapping?.entries ?? []
        return entries.reduce(into: [:]) { $0[$1.key] = $1.value.intValue.map { Int($0) } }
    }

    /// Chooses a free host port for each mapping that has none yet, and keeps it: a deployment answers at the same place after
    /// every start.
    func allocate(for project: LayeredProject) throws -> [String: Int] {
        var ports = try read()
        let wanted = project.openPorts
        guard wanted.contains(where: { ports[$0.key] == nil }) else { return ports }
        for (key, mapping) in wanted where ports[key] == nil {
            ports[key] = mapping.chooseHostPort(besides: project.fixedPorts.union(ports.values))
        }
        let node: Node = .map(ports.sorted { $0.key < $1.key }.map { ($0.key, .plain("\($0.value)")) })
        try Files.makeDirectory(Files.parent(of: file), mode: 0o700)
        try Files.write(Array(node.yaml().utf8), to: file)
        return ports
    }
}

extension LayeredProject {
    /// The published ports that leave the host's number open; each replica has its own.
    fileprivate var openPorts: [(key: String, mapping: PortMapping)] {
        allServices.flatMap { service in
            let replicas = spec.replicas[service.name] ?? service.deploy?.replicas ?? service.scale ?? 1
            var ordinals: [String: Int] = [:]
            return service.ports.filter { $0.published?.count != 1 }.flatMap { port in
                let ordinal = ordinals["\(port.target)/\(port.transport.rawValue)", default: 0] + 1
                ordinals["\(port.target)/\(port.transport.rawValue)"] = ordinal
                return (1...max(1, replicas)).map { replica in
                    let key = RenderOptions.publishedPortKey(
                        service: service.name, port: port.target, transport: port.transport.rawValue, ordinal: ordinal,
                        replica: replica)
                    return (key, port)
                }
            }
        }
    }

    /// The host's ports that mappings name: an open one must not take them first.
    fileprivate var fixedPorts: Set<Int> {
        Set(allServices.flatMap(\.ports).compactMap { $0.published?.count == 1 ? $0.published?.lowerBound : nil })
    }

    private var allServices: [Compose.Service] {
        Array(project.services.values) + jobs.values.flatMap(\.services.values)
    }
}

extension PortMapping {
    /// Below the ports that systems give to outgoing connections, and below those of Kubernetes' NodePorts.
    private static let open = 20_000...29_999

    /// A free port of the mapping's range, or of any; nil where none is left, which the start then says.
    fileprivate func chooseHostPort(besides taken: Set<Int>) -> Int? {
        func isFree(_ port: Int) -> Bool {
            !taken.contains(port) && HostPorts.isFree(port, address: hostIP ?? "", transport: transport.rawValue)
        }
        if let published { return published.first(where: isFree) ?? published.lowerBound }
        for _ in 0..<200 {
            let port = Int.random(in: Self.open)
            if isFree(port) { return port }
        }
        return Self.open.first(where: isFree)
    }
}
