package import Compose
package import YAML

/// How `deploy init` maps the ports of services to the host (`--map-ports-to-host`).
package enum PortRecipe: String, Hashable, Sendable, CaseIterable {
    /// As the compose files have it; a port without one of the host's gets any free one at each start.
    case anyVariableRandom = "any-variable-random"
    /// The same number on 127.0.0.1.
    case localhostSame = "localhost-same"
    /// The same number on every address.
    case anySame = "any-same"
    /// A free number, chosen once, on 127.0.0.1.
    case localhostFixedRandom = "localhost-fixed-random"
    /// A free number, chosen once, on every address.
    case anyFixedRandom = "any-fixed-random"

    fileprivate var isLocal: Bool { self == .localhostSame || self == .localhostFixedRandom }
    fileprivate var isRandom: Bool { self == .localhostFixedRandom || self == .anyFixedRandom }
}

/// Maps ports by a recipe, so that no port of the host is given twice.
package struct PortMapper {
    /// Below the ports that systems give to outgoing connections, and below those of Kubernetes' NodePorts.
    static let randomPorts = 20_000...29_999

    let recipe: PortRecipe
    let isFree: (Int) -> Bool
    let random: (ClosedRange<Int>) -> Int
    private var taken: Set<HostPort> = []

    private struct HostPort: Hashable {
        var number: Int
        var transport: Transport
    }

    /// - Parameters:
    ///   - isFree: whether nothing on the host listens on a port.
    ///   - random: a random number of a range.
    package init(
        recipe: PortRecipe, isFree: @escaping (Int) -> Bool,
        random: @escaping (ClosedRange<Int>) -> Int = { Int.random(in: $0) }
    ) {
        self.recipe = recipe
        self.isFree = isFree
        self.random = random
    }

    /// The ports of one service, mapped; a port that cannot keep its number is reported.
    package mutating func map(
        _ ports: [PortMapping], service: String, diagnostics: inout Diagnostics
    ) -> [PortMapping] {
        guard recipe != .anyVariableRandom else { return ports }
        return ports.map { port in
            var port = port
            port.hostIP = address(of: port)
            let number = recipe.isRandom ? nil : same(port)
            guard let chosen = number ?? free(port.transport) else {
                diagnostics.error("no free port of the host is left for \(service):\(port.target)", at: port.mark)
                return port
            }
            if number == nil, !recipe.isRandom {
                diagnostics.warning(
                    "\(service): the host's port \((port.published ?? port.target...port.target).lowerBound) is taken, so \(chosen) is used",
                    at: port.mark, hint: "free the port, or edit network.ports in the spec")
            }
            taken.insert(HostPort(number: chosen, transport: port.transport))
            port.published = chosen...chosen
            return port
        }
    }

    /// The author's own address stays unless it is wider than the recipe's.
    private func address(of port: PortMapping) -> String {
        guard recipe.isLocal else { return port.hostIP ?? "0.0.0.0" }
        return port.hostIP == "::1" ? "::1" : "127.0.0.1"
    }

    private func same(_ port: PortMapping) -> Int? {
        (port.published ?? port.target...port.target).first { isAvailable($0, port.transport) }
    }

    private func free(_ transport: Transport) -> Int? {
        for _ in 0..<200 {
            let number = random(Self.randomPorts)
            if isAvailable(number, transport) { return number }
        }
        return Self.randomPorts.first { isAvailable($0, transport) }
    }

    private func isAvailable(_ number: Int, _ transport: Transport) -> Bool {
        !taken.contains(HostPort(number: number, transport: transport)) && isFree(number)
    }
}
