import Glibc

/// A port of this host that reaches a pod.
struct HostPort: Hashable, Sendable {
    var address: String
    var port: Int
    var containerPort: Int
    var transport: String
}

/// Whether ports of this host can be published.
package enum HostPorts {
    /// Why a port cannot be published.
    enum Obstacle {
        case inUse
        /// Ports below 1024 are root's, unless the kernel is told otherwise.
        case notPermitted
    }

    /// Tries to bind it, as podman will. An address that this host does not have counts as free: podman says that better.
    static func isFree(_ port: HostPort) -> Bool { obstacle(port) != .inUse }

    static func obstacle(_ port: HostPort) -> Obstacle? {
        let isIPv6 = port.address.contains(":")
        let type = port.transport == "udp" ? SOCK_DGRAM : SOCK_STREAM
        guard port.transport != "sctp" else { return nil }
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var yes: Int32 = 1
        if type == SOCK_STREAM {
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        let result = isIPv6 ? bindIPv6(descriptor, port) : bindIPv4(descriptor, port)
        guard result != 0 else { return nil }
        switch errno {
        case EADDRINUSE: return .inUse
        case EACCES: return .notPermitted
        default: return nil
        }
    }

    /// Whether a port of this host is free.
    ///
    /// - Parameters:
    ///   - address: empty for every address.
    ///   - transport: `tcp` or `udp`; nil for both.
    package static func isFree(_ port: Int, address: String = "", transport: String? = nil) -> Bool {
        (transport.map { [$0] } ?? ["tcp", "udp"]).allSatisfy {
            isFree(HostPort(address: address, port: port, containerPort: port, transport: $0))
        }
    }

    private static func bindIPv4(_ descriptor: Int32, _ port: HostPort) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port.port).bigEndian
        if !port.address.isEmpty { inet_pton(AF_INET, port.address, &address.sin_addr) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func bindIPv6(_ descriptor: Int32, _ port: HostPort) -> Int32 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(truncatingIfNeeded: port.port).bigEndian
        inet_pton(AF_INET6, port.address, &address.sin6_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }

    static func reason(_ port: HostPort) -> String {
        "port \(port.port)/\(port.transport) of this host is in use by another program"
    }

    /// - Parameter workload: which pod publishes it.
    static func hint(_ port: HostPort, of workload: String, _ model: DeploymentModel) -> String {
        let key = DeploymentModel.portKey(workload, port.containerPort, port.transport)
        let place =
            model.isProject
            ? "under `ports:` of \(workload)" + (model.portMarks[key].map { " (\($0))" } ?? "")
            : "in the spec's network.ports"
        return "choose another one \(place), or stop who has it: ss -lnp 'sport = :\(port.port)'"
    }
}
