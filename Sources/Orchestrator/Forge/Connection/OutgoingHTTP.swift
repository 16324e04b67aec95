import AsyncHTTPClient
import NIOCore

/// The one pool of connections to forges and vaults.
enum OutgoingHTTP {
    /// Redirections are not followed: a token must reach no other server.
    static let client = HTTPClient(
        eventLoopGroupProvider: .singleton,
        configuration: HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: .seconds(30))))
}
