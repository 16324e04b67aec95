package import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOSSL

/// A connection of a client, as a server of the tests has it.
package typealias HTTPConnection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

/// Takes HTTP connections on a port of 127.0.0.1.
package struct TestListener: Sendable {
    package typealias Writer = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    private let channel: NIOAsyncChannel<HTTPConnection, Never>
    package var port: Int { channel.channel.localAddress?.port ?? 0 }

    /// - Parameter tls: nil: it speaks without.
    package static func bind(tls: NIOSSLContext? = nil) async throws -> TestListener {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try HTTPConnection(wrappingChannelSynchronously: channel)
                }
            }
        return TestListener(channel: channel)
    }

    /// Answers connections for the body's time.
    ///
    /// - Parameter answer: gets each request with its whole body; returns whether its connection goes on.
    package func serve(
        _ answer: @escaping @Sendable (HTTPRequestHead, [UInt8], Writer) async throws -> Bool,
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await take(answer) }
            do {
                try await body()
            } catch {
                try? await channel.channel.close()
                throw error
            }
            // Not cancelled: a connection that was taken and not yet looked at has to be closed.
            try? await channel.channel.close()
        }
    }

    private func take(
        _ answer: @escaping @Sendable (HTTPRequestHead, [UInt8], Writer) async throws -> Bool
    ) async throws {
        try await channel.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    // A client that goes away in the middle is no failure of the server.
                    group.addTask { try? await Self.answer(connection, answer) }
                }
                group.cancelAll()
            }
        }
    }

    private static func answer(
        _ connection: HTTPConnection,
        _ answer: @escaping @Sendable (HTTPRequestHead, [UInt8], Writer) async throws -> Bool
    ) async throws {
        try await connection.executeThenClose { inbound, outbound in
            var head: HTTPRequestHead?
            var body: [UInt8] = []
            for try await part in inbound {
                switch part {
                case .head(let value):
                    head = value
                    body = []
                case .body(let bytes): body += Array(bytes.readableBytesView)
                case .end: guard let head, try await answer(head, body, outbound) else { return }
                }
            }
        }
    }
}

extension NIOAsyncChannelOutboundWriter<HTTPServerResponsePart> {
    /// Writes a whole answer, and its length.
    package func write(status: Int, _ headers: HTTPHeaders = [:], body: [UInt8]) async throws {
        var headers = headers
        headers.replaceOrAdd(name: "Content-Length", value: "\(body.count)")
        let status = HTTPResponseStatus(statusCode: status)
        try await write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
        try await write(.body(.byteBuffer(ByteBuffer(bytes: body))))
        try await write(.end(nil))
    }
}
