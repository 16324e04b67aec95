import Egress
import NIOCore
import NIOPosix

/// Finds the addresses of a name that may be reached, and hands out none that may not.
struct Resolver: Sendable {
    private let pool: NIOThreadPool

    init(pool: NIOThreadPool) { self.pool = pool }

    /// Why a name leads nowhere.
    struct Refused: Error { let reason: DenialReason }

    /// Every address of the name, in the system's order. All must be public: one that is not shows what the name is for.
    ///
    /// The caller connects to what it gets here, never to the name again, so that a second answer changes nothing.
    func publicAddresses(_ name: String, port: Int) async throws -> [SocketAddress] {
        let found = try await addresses(name, port: port)
        guard !found.isEmpty else { throw Refused(reason: .unknownName) }
        guard found.allSatisfy({ $0.address.isPublic }) else { throw Refused(reason: .privateAddress) }
        return found.map(\.socket)
    }

    /// Addresses of a place that the configuration names: any.
    func declaredAddresses(_ name: String, port: Int) async throws -> [SocketAddress] {
        try await addresses(name, port: port).map(\.socket)
    }

    private func addresses(_ name: String, port: Int) async throws -> [(address: IPAddress, socket: SocketAddress)] {
        let texts = try await pool.runIfActive { lookUp(name) }
        return try texts.compactMap { text in
            guard let address = IPAddress(text) else { return nil }
            return (address, try SocketAddress(ipAddress: address.description, port: port))
        }
    }
}
