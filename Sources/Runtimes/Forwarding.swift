/// Asks for a port of this host that leads to a port of a running service.
package struct ForwardRequest: Hashable, Sendable {
    package var service: String
    /// On this host's loopback; 0: any that is free, which ``ForwardEvent/listening(address:port:)`` tells.
    package var hostPort: Int
    package var port: Int

    package init(service: String, hostPort: Int, port: Int) {
        self.service = service
        self.hostPort = hostPort
        self.port = port
    }
}

/// What happens while a port is forwarded.
package enum ForwardEvent: Hashable, Sendable {
    /// From now on, connections to this address and port of this host are taken.
    case listening(address: String, port: Int)
    /// What the program that forwards says besides: of each connection, and of those that fail.
    case message(String)
}
