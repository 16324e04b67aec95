/// A service and one of its ports: `web:8080`.
package struct RouteTarget: Hashable, Sendable, CustomStringConvertible {
    package var service: String
    package var port: Int

    package init(service: String, port: Int) {
        self.service = service
        self.port = port
    }

    package var description: String { "\(service):\(port)" }
}

extension RouteTarget {
    /// Reads `service:port`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]) else { return nil }
        let service = String(text[..<colon])
        guard isName(service), (1...65535).contains(port) else { return nil }
        self.init(service: service, port: port)
    }
}
