/// What an egress pod finds around it where nobody has chosen its address.
package struct EgressSurroundings: Codable, Hashable, Sendable {
    /// Its own, as others of its session reach it.
    package var address: String
    /// Places as `address:port` that answer it, and must not answer the agent's pod: the cluster's API and name servers.
    package var answering: [String]
    /// The name servers that it asks.
    package var nameServers: [String]

    package init(address: String, answering: [String], nameServers: [String]) {
        self.address = address
        self.answering = answering
        self.nameServers = nameServers
    }

    /// Looks around; blocks.
    ///
    /// - Parameters:
    ///   - name: of the egress among its session's pods.
    ///   - environment: of the pod, in which a cluster names its API.
    /// - Returns: nil where its own name leads nowhere.
    package static func find(_ name: String, environment: [String: String]) -> EgressSurroundings? {
        guard let address = lookUp(name).first(where: { !$0.contains(":") }) else { return nil }
        let servers = systemNameServers()
        var places = servers.map { "\($0):53" }
        if let host = environment["KUBERNETES_SERVICE_HOST"], let port = environment["KUBERNETES_SERVICE_PORT"] {
            places.insert("\(host):\(port)", at: 0)
        }
        return EgressSurroundings(
            address: address, answering: places.filter { dial($0) == .open }, nameServers: servers)
    }
}
