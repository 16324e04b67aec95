import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// An HTTP server of a test on 127.0.0.1.
final class TestHTTPServer: Sendable {
    typealias Answer = @Sendable (ForgeTestRequest) async -> ForgeTestReply

    let port: Int
    private let answering = Mutex<Answer>({ _ in ForgeTestReply(status: 503) })

    fileprivate init(port: Int) { self.port = port }

    /// What it answers from now on.
    func answer(_ answer: @escaping Answer) { answering.withLock { $0 = answer } }

    fileprivate func reply(to request: ForgeTestRequest) async -> ForgeTestReply {
        await answering.withLock { $0 }(request)
    }
}

/// Runs a server for the body's time.
func withHTTPServer(
    isolation: isolated (any Actor)? = #isolation, _ body: (TestHTTPServer) async throws -> Void
) async throws {
    let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        .bind(host: "127.0.0.1", port: 0) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                return try NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>(
                    wrappingChannelSynchronously: channel)
            }
        }
    let server = TestHTTPServer(port: listener.channel.localAddress?.port ?? 0)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await serve(listener, server) }
        do {
            try await body(server)
        } catch {
            try? await listener.channel.close()
            throw error
        }
        // Not cancelled: a connection that was taken and not yet looked at has to be closed.
        try? await listener.channel.close()
    }
}

private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

private func serve(_ listener: NIOAsyncChannel<Connection, Never>, _ server: TestHTTPServer) async throws {
    try await listener.executeThenClose { connections in
        try await withThrowingDiscardingTaskGroup { group in
            for try await connection in connections {
                // A client that goes away in the middle is no failure of the server.
                group.addTask { try? await answer(connection, server) }
            }
            group.cancelAll()
        }
    }
}

private func answer(_ connection: Connection, _ server: TestHTTPServer) async throws {
    try await connection.executeThenClose { inbound, outbound in
        var head: HTTPRequestHead?
        var body: [UInt8] = []
        for try await part in inbound {
            switch part {
            case .head(let value):
                head = value
                body = []
            case .body(let bytes): body += Array(bytes.readableBytesView)
            case .end:
                guard let head else { return }
                let reply = await server.reply(to: ForgeTestRequest(head, body))
                var headers = HTTPHeaders(reply.headers.map { ($0.key, $0.value) })
                headers.replaceOrAdd(name: "Content-Length", value: "\(reply.body.count)")
                let status = HTTPResponseStatus(statusCode: reply.status)
                try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: status, headers: headers)))
                try await outbound.write(.body(.byteBuffer(ByteBuffer(bytes: reply.body))))
                try await outbound.write(.end(nil))
            }
        }
    }
}
