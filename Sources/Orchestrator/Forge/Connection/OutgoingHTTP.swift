import AsyncHTTPClient
import NIOCore

/// The pools of connections to forges and vaults.
enum OutgoingHTTP {
    static let client = client(isPatient: true)
    /// Gives up with the first connection that fails.
    static let impatient = client(isPatient: false)

    /// Redirections are not followed: a token must reach no other server.
    private static func client(isPatient: Bool) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: .seconds(30)))
        configuration.connectionPool.retryConnectionEstablishment = isPatient
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }
}
