import KubernetesTestSupport
import NIOHTTP1
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
    let listener = try await TestListener.bind()
    let server = TestHTTPServer(port: listener.port)
    try await listener.serve({ head, bytes, outbound in
        let reply = await server.reply(to: ForgeTestRequest(head, bytes))
        try await outbound.write(
            status: reply.status, HTTPHeaders(reply.headers.map { ($0.key, $0.value) }), body: Array(reply.body))
        return true
    }) { try await body(server) }
}
