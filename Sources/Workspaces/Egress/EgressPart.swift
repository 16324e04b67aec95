import Egress
import FoundationEssentials
import Specs
import YAML

/// The egress pod of a session or workspace as a part of its stack: the only way out of the agent's pod, and the only place with real credentials.
package struct EgressPart: Sendable {
    package var network: SessionNetwork
    /// Whether pods have the program of this host mounted; else it is in their image.
    package var mountsProgram = true
    /// What the program is told.
    package var egress: SessionEgress
    package var agent: AgentDeclaration
    package var credentials: [Credential]
    /// The image of ``EgressImage``.
    package var image: String
    /// The program on this host; it also asks, in the agent's pod, what that reaches.
    package var program: String
    /// The port of 127.0.0.1 for each port of the agent's pod.
    package var ports: [Int: Int]

    /// The name at which the first of the ports answers by this host's routes, the others below it; nil: they have none.
    package var hostName: String?

    package init(
        _ egress: SessionEgress, in network: SessionNetwork, agent: AgentDeclaration, credentials: [Credential],
        image: String, program: String, ports: [Int: Int] = [:]
    ) {
        self.egress = egress
        self.network = network
        self.agent = agent
        self.credentials = credentials
        self.image = image
        self.program = program
        self.ports = ports
    }

    /// Where the program is in the agent's pod.
    static let programInAgent = "/so/so-egress"
    /// The first of the egress's ports that lead to ports of the agent's pod.
    private static let firstIngressPort = 20000
    /// Of the egress's processes: nobody's on the host.
    private static let user = 65532

    /// - Throws: where the configuration cannot be written.
    package func part() throws -> StackPart {
        var part = StackPart()
        part.services[StackPart.egressService] = service
        part.volumes["egress"] = .map([])
        // In one order: a secret that is written otherwise replaces the pod.
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        part.secrets["egress"] = Array(try encoder.encode(configuration))
        part.agentEnvironment = Dictionary(
            uniqueKeysWithValues: egress.agentEnvironment.map { ($0.key, $0.value) })
        for (number, port) in sortedPorts.enumerated() {
            guard let hostName else { break }
            let name = SessionAddress.hostName(of: port.key, isFirst: number == 0, name: hostName)
            part.routes[name] = RouteTarget(service: StackPart.egressService, port: Self.firstIngressPort + number)
        }
        if mountsProgram { part.agentMounts[Self.programInAgent] = program }
        part.agentAddress = network.addresses?.agent
        if let address = network.egressAddress {
            part.hosts[StackPart.egressService] = address
            part.agentDNS = [address]
            part.gate = probe?.gate(egress: "\(address):8080") ?? []
        }
        return part
    }

    /// Nil where nothing is to be proved yet, or any more: a cluster that holds no pod back, and a user who accepts that.
    private var probe: EgressProbe? {
        switch network {
        case .fixed(let addresses):
            EgressProbe(
                program: Self.programInAgent, egress: addresses.egress, outside: [addresses.egressOutside],
                gateways: [addresses.gateway])
        case .named(let surroundings?) where egress.policy.deniesAll:
            EgressProbe(program: Self.programInAgent, surroundings: surroundings)
        case .named: nil
        }
    }

    private var configuration: EgressConfiguration {
        var result = egress.configuration(agent, credentials)
        result.ingress += sortedPorts.enumerated().map { number, port in
            .init(port: Self.firstIngressPort + number, host: network.agent, hostPort: port.key)
        }
        return result
    }

    private var sortedPorts: [(key: Int, value: Int)] { ports.sorted { $0.key < $1.key } }

    private var service: Node {
        let published = sortedPorts.enumerated().map { number, port in
            "127.0.0.1:\(port.value):\(Self.firstIngressPort + number)"
        }
        return .map([
            ("image", .string(image)), ("pull_policy", .string(mountsProgram ? "never" : "missing")),
            ("expose", .list(network.addresses == nil ? Self.ports.map { .string($0) } : [])),
            ("user", .string("\(Self.user):\(Self.user)")), ("cap_drop", texts(["ALL"])),
            ("security_opt", texts(["no-new-privileges:true"])), ("read_only", .plain("true")),
            ("sysctls", .map([("net.ipv4.ip_unprivileged_port_start", .string("0"))])),
            ("pids_limit", .plain("256")), ("mem_limit", .string("256m")),
            // A cluster gives the volume to its group, and would fill it from the image by a shell that is not there.
            ("volumes", texts([mountsProgram ? "egress:/state" : "egress:/state:nocopy"])),
            (
                "secrets",
                .list([
                    .map([
                        ("source", .string("egress")), ("target", .string("/run/secrets/egress.json")),
                        ("uid", .string("\(Self.user)")), ("gid", .string("\(Self.user)")), ("mode", .plain("0400")),
                    ])
                ])
            ),
            ("networks", networks), ("ports", texts(published)), ("healthcheck", health),
            ("restart", .string("unless-stopped")), ("stop_grace_period", .string("1s")),
        ])
    }

    private var networks: Node {
        .map([
            (StackPart.insideNetwork, place(\.egress)), (StackPart.outsideNetwork, place(\.egressOutside)),
        ])
    }

    private func place(_ address: (SessionAddresses) -> String) -> Node {
        .map(network.place(address).map { ($0.0, .string($0.1)) })
    }

    /// What a runtime has to know of that finds pods by name.
    private static let ports = ["53/udp", "80/tcp", "443/tcp", "3128/tcp", "8080/tcp"]

    /// The twin of the agent's probe: what does not answer there answers here.
    private var health: Node {
        // Without an address of its own it is told by what it finds: see `EgressSurroundings`.
        let places =
            network.addresses.map { (probe?.inEgress ?? []) + ["\($0.egress):8080"] }
            ?? ["/so-egress", "probe", "open", "127.0.0.1:8079", "127.0.0.1:8080"]
        return .map([
            ("test", texts(["CMD"] + places)), ("interval", .string("200ms")),
            ("timeout", .string("5s")), ("retries", .plain("50")),
        ])
    }

    private func texts(_ texts: [String]) -> Node { .list(texts.map { .string($0) }) }
}
