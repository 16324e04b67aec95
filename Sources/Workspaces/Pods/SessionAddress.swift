import Runtimes

/// Where one port of a session's pod answers. Browsers lead every name below `localhost` to this host (RFC 6761), so that no two sessions share cookies.
package struct SessionAddress: Hashable, Sendable {
    /// In the agent's pod.
    package var port: Int
    /// On 127.0.0.1.
    package var hostPort: Int
    package var url: String

    /// - Parameters:
    ///   - ports: the port of this host for each port of the pod.
    ///   - name: no two sessions and workspaces have the same.
    ///   - routes: URLs of this host's routes by the host name.
    static func list(_ ports: [Int: Int], name: String, routes: [String: String]) -> [SessionAddress] {
        ports.sorted { $0.key < $1.key }.enumerated().map { number, port in
            let route = routes[hostName(of: port.key, isFirst: number == 0, name: name)]
            return SessionAddress(
                port: port.key, hostPort: port.value, url: route ?? "http://\(name).localhost:\(port.value)")
        }
    }

    /// The name of one port among this host's routes.
    static func hostName(of port: Int, isFirst: Bool, name: String) -> String {
        "\(isFirst ? "" : "\(port).")\(name).localhost"
    }

    /// URLs by their host name, as a start has told them.
    static func routes(_ addresses: [RouteAddress]) -> [String: String] {
        let pairs = addresses.compactMap { address -> (String, String)? in
            let host = address.url.split(separator: "/").dropFirst().first?.split(separator: ":").first
            return host.map { (String($0), address.url) }
        }
        return Dictionary(pairs) { $1 }
    }
}
