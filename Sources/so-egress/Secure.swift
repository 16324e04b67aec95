import Egress
import NIOCore
import NIOPosix

extension Gateway {
    /// TLS of clients that ignore the proxy: passed on by the name that they ask for, and never opened.
    func secure(_ port: Int) async throws -> Listener {
        let server = try await negotiating(port, limit: ServerName.limit, judge: judgeHello)
        return {
            try await accept(server) { negotiation in
                let (name, connection) = try await negotiation.get()
                try await tunnel(connection, to: name, port: 443)
            }
        }
    }

    /// Leads a connection to a name, where that is allowed; else closes it.
    func tunnel(_ connection: TunnelChannel, to name: String, port: Int) async throws {
        guard let addresses = await reach(name, port) else {
            return try await connection.close()
        }
        try await connection.lead(to: addresses)
    }

    /// The addresses that a name may be reached at; nil, and a line in the log, where it may not.
    func reach(_ name: String, _ port: Int) async -> [SocketAddress]? {
        let reason: DenialReason
        if rule.allows(name, port: port) {
            do {
                return try await resolver.publicAddresses(name, port: port)
            } catch {
                reason = (error as? Resolver.Refused)?.reason ?? .unknownName
            }
        } else {
            reason = .notAllowed
        }
        ledger.deny("\(name):\(port)", reason)
        return nil
    }
}

private func judgeHello(_ bytes: [UInt8]) -> Negotiator<(String, TunnelChannel)>.Verdict {
    switch ServerName(bytes) {
    case .incomplete: .undecided
    case .absent: .hopeless
    case .name(let name): .decided(skipping: 0) { (name, try TunnelChannel($0)) }
    }
}
