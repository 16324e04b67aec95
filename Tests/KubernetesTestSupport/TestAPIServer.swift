import FoundationEssentials
package import KubernetesClient
import NIOCore
import NIOHTTP1
import NIOSSL
import TestSupport
import YAML

/// A Kubernetes API in this process: TLS, real status codes, server-side apply with field managers, watches, selectors, deletion.
///
/// It answers as the recordings of a real server do; ``TestAPIStore`` says what it keeps and where it is simpler.
package struct TestAPIServer: Sendable {
    package let store: TestAPIStore
    package let port: Int
    /// A kubeconfig that leads to it.
    package let kubeconfig: String
    /// What every request must carry.
    static let token = "test-token"

    /// The way to it, as a client takes it.
    package var access: ClusterAccess {
        get throws { try ClusterAccess.resolve(file: kubeconfig, environment: [:]) }
    }
}

/// Runs a server for the body's time.
package func withAPIServer(
    isolation: isolated (any Actor)? = #isolation, _ body: (TestAPIServer) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-api") { directory in
        let made = try await run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                "-keyout", directory + "/key.pem", "-out", directory + "/cert.pem", "-subj", "/CN=so-test", "-addext",
                "subjectAltName=IP:127.0.0.1,DNS:api.test",
            ], environment: ProcessInfo.processInfo.environment)
        guard made.succeeded else { throw NoCertificate(description: "\(made)") }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(directory + "/cert.pem").map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: directory + "/key.pem", format: .pem)))
        tls.applicationProtocols = ["http/1.1"]
        let listener = try await TestListener.bind(tls: NIOSSLContext(configuration: tls))
        let port = listener.port
        try write(
            """
            apiVersion: v1
            kind: Config
            current-context: test
            clusters: [{name: test, cluster: {server: "https://127.0.0.1:\(port)", certificate-authority: cert.pem}}]
            users: [{name: test, user: {token: \(TestAPIServer.token)}}]
            contexts: [{name: test, context: {cluster: test, user: test}}]
            """, to: directory + "/kubeconfig")
        let server = TestAPIServer(store: TestAPIStore(), port: port, kubeconfig: directory + "/kubeconfig")
        try await listener.serve({ try await answer(TestAPIRequest($0, $1), server.store, $2) }) {
            try await body(server)
        }
    }
}

private struct NoCertificate: Error, CustomStringConvertible { let description: String }

private func answer(
    _ request: TestAPIRequest, _ store: TestAPIStore, _ outbound: TestListener.Writer
) async throws -> Bool {
    if request.isWatch {
        // The end of a watch is the end of its connection: so it is with one that breaks.
        try await watch(request, store, outbound)
        return false
    }
    let reply = await store.reply(to: request)
    var headers = HTTPHeaders([("Content-Type", "application/json")])
    if let seconds = reply.retryAfter { headers.add(name: "Retry-After", value: "\(seconds)") }
    try await outbound.write(status: reply.status, headers, body: Array(reply.body.utf8))
    return true
}

private func watch(
    _ request: TestAPIRequest, _ store: TestAPIStore, _ outbound: TestListener.Writer
) async throws {
    let headers = HTTPHeaders([("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")])
    try await outbound.write(.head(HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)))
    for await line in await store.watch(request) {
        try await outbound.write(.body(.byteBuffer(ByteBuffer(string: line + "\n"))))
    }
}

/// A request, taken apart.
struct TestAPIRequest: Sendable {
    var method: String
    var path: [String]
    var query: [String: String]
    var contentType: String
    var authorization: String
    var body: [UInt8]

    init(_ head: HTTPRequestHead, _ body: [UInt8]) {
        self.init(
            method: head.method.rawValue, target: head.uri,
            contentType: head.headers.first(name: "Content-Type") ?? "",
            authorization: head.headers.first(name: "Authorization") ?? "", body: body)
    }

    init(method: String, target: String, contentType: String, authorization: String, body: [UInt8]) {
        self.method = method
        self.contentType = contentType
        self.authorization = authorization
        self.body = body
        let parts = target.split(separator: "?", maxSplits: 1)
        path = (parts.first ?? "").split(separator: "/").map { Self.decoded($0) }
        query = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1)
            query[Self.decoded(sides[0])] = sides.count > 1 ? Self.decoded(sides[1]) : ""
        }
    }

    var isWatch: Bool { method == "GET" && query["watch"] == "1" }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
