import AsyncHTTPClient
import Egress
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// What the listeners share.
struct Gateway: Sendable {
    let configuration: EgressConfiguration
    let rule: AccessRule
    let ledger: Ledger
    let resolver: Resolver
    let client: HTTPClient
    let group: any EventLoopGroup
    let connections = ConnectionCount(limit: 1024)

    var address: String { configuration.listen ?? configuration.address }
}

/// Serves until the process ends.
func serve(_ configuration: EgressConfiguration) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let pool = NIOThreadPool(numberOfThreads: 2)
    pool.start()
    let ledger = try Ledger(configuration)
    let client = HTTPClient(
        eventLoopGroupProvider: .shared(group), configuration: try settings(trusting: configuration.authorities))
    let gateway = Gateway(
        configuration: configuration, rule: AccessRule(configuration), ledger: ledger, resolver: Resolver(pool: pool),
        client: client, group: group)
    do {
        try await gateway.serve()
    } catch {
        try? await client.shutdown()
        throw error
    }
}

private func settings(trusting authorities: String?) throws -> HTTPClient.Configuration {
    var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
    settings.timeout = .init(connect: .seconds(10), read: .minutes(15))
    settings.connectionPool = .init(idleTimeout: .seconds(55))
    settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
    settings.decompression = .disabled
    settings.httpVersion = .http1Only
    if let authorities {
        var trust = TLSConfiguration.makeClientConfiguration()
        trust.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMBytes(Array(authorities.utf8)))]
        settings.tlsConfiguration = trust
    }
    return settings
}

typealias Listener = @Sendable () async throws -> Void

extension Gateway {
    fileprivate func serve() async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for listener in try await listeners() { tasks.addTask { try await listener() } }
            printError("so-egress: ready")
            try await tasks.next()
        }
    }

    /// Every port is bound when this returns.
    func listeners() async throws -> [Listener] {
        let ports = configuration.ports
        var result: [Listener] = []
        // The first: whoever finds another port open finds this one open too.
        if let port = ports.canary { result.append(try await canary(port)) }
        if let port = ports.dns { result.append(try await nameServer(port)) }
        if let port = ports.proxy { result.append(try await proxy(port)) }
        if let port = ports.http { result.append(try await web(port, serve: servePlain)) }
        if let port = ports.provider { result.append(try await web(port, serve: serveRoutes)) }
        if let port = ports.tls { result.append(try await secure(port)) }
        for forward in configuration.forwards { result.append(try await lead(forward, from: address)) }
        for forward in configuration.ingress { result.append(try await lead(forward, from: "0.0.0.0")) }
        return result
    }

    var bootstrap: ServerBootstrap {
        ServerBootstrap(group: group).serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    /// Serves every connection in a task of its own; one that fails ends alone.
    func accept<Connection: Sendable>(
        _ server: NIOAsyncChannel<Connection, Never>, _ body: @escaping @Sendable (Connection) async throws -> Void
    ) async throws {
        try await server.executeThenClose { inbound in
            try await withThrowingDiscardingTaskGroup { tasks in
                for try await connection in inbound { tasks.addTask { try? await body(connection) } }
            }
        }
    }

    /// A declared port, led on as it is.
    private func lead(_ forward: EgressConfiguration.Forward, from address: String) async throws -> Listener {
        let server = try await rawServer(address, forward.port)
        return {
            try await accept(server) { connection in
                let addresses = try await resolver.declaredAddresses(forward.host, port: forward.hostPort)
                try await connection.lead(to: addresses)
            }
        }
    }

    private func canary(_ port: Int) async throws -> Listener {
        let server = try await rawServer("0.0.0.0", port)
        return { try await accept(server) { try await $0.close() } }
    }

    /// Listens for connections whose first bytes say what their client wants; what is not said in as many bytes is closed.
    func negotiating<Use: Sendable>(
        _ port: Int, limit: Int, judge: @escaping @Sendable ([UInt8]) -> Negotiator<Use>.Verdict
    ) async throws -> NIOAsyncChannel<EventLoopFuture<Use>, Never> {
        try await bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.recvAllocator, value: tunnelAllocator)
            .bind(host: address, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.count(channel)
                    let promise = channel.eventLoop.makePromise(of: Use.self)
                    try channel.pipeline.syncOperations.addHandler(
                        Negotiator(limit: limit, promise: promise, judge: judge))
                    return promise.futureResult
                }
            }
    }

    private func rawServer(_ address: String, _ port: Int) async throws -> NIOAsyncChannel<TunnelChannel, Never> {
        try await bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.recvAllocator, value: tunnelAllocator)
            .bind(host: address, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    connections.count(channel)
                    return try TunnelChannel(channel)
                }
            }
    }
}
