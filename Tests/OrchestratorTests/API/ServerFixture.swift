import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import Orchestrator
import Synchronization
import TestSupport

/// Credentials in memory.
final class MemoryCredentials: CredentialBackend {
    let values = Mutex<[String: [UInt8]]>([:])

    func check() {}
    func names() -> [String] { values.withLock { Array($0.keys) } }
    func value(of name: String) -> [UInt8]? { values.withLock { $0[name] } }
    func set(_ name: String, to value: [UInt8]) { values.withLock { $0[name] = value } }
    func rotate() throws { throw Self.keyless }
    func remove(_ name: String) { values.withLock { $0[name] = nil } }
}

/// A server that runs, and what is behind it.
struct ServerFixture: Sendable {
    let url: String
    let token: String
    let store: SQLStore
    let forge: TestForge
    let credentials: MemoryCredentials
    let runner: ScriptedRunner
    let directory: String

    struct Answer: Sendable {
        var status: Int
        var headers: HTTPHeaders
        var text: String

        /// The cookies that it sets, as a request sends them.
        var cookies: String {
            headers["set-cookie"].compactMap { $0.split(separator: ";").first.map(String.init) }.joined(separator: "; ")
        }
    }

    func send(
        _ method: HTTPMethod, _ path: String, _ headers: [(String, String)] = [], body: [UInt8] = []
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        request.headers = HTTPHeaders(headers)
        if !body.isEmpty { request.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await Self.client.execute(request, timeout: Self.patience)
        let collected = try await response.body.collect(upTo: 16 << 20)
        return Answer(
            status: Int(response.status.code), headers: response.headers,
            text: String(decoding: collected.readableBytesView, as: UTF8.self))
    }

    /// Sends a body piece by piece, without its length; nil where the server has hung up.
    func sendChunked(_ path: String, megabytes: Int) async throws -> Int? {
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        let piece = ByteBuffer(repeating: 32, count: 1 << 20)
        request.body = .stream((0..<megabytes).async(piece), length: .unknown)
        do {
            return try await Int(Self.client.execute(request, timeout: Self.patience).status.code)
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw error
        } catch {
            return nil
        }
    }

    func get(_ path: String, cookie: String? = nil) async throws -> Answer {
        try await send(.GET, path, [("accept", "text/html")] + (cookie.map { [("cookie", $0)] } ?? []))
    }

    func form(_ path: String, _ fields: [String: String], cookie: String? = nil) async throws -> Answer {
        let text = fields.map { "\($0.key)=\($0.value.replacing("+", with: "%2B").replacing(" ", with: "+"))" }
        let headers = [("accept", "text/html"), ("content-type", "application/x-www-form-urlencoded")]
        return try await send(
            .POST, path, headers + (cookie.map { [("cookie", $0)] } ?? []),
            body: Array(text.joined(separator: "&").utf8))
    }

    func api(_ method: HTTPMethod, _ path: String, json: String = "") async throws -> Answer {
        try await send(
            method, "/api/v1" + path, [("authorization", "Bearer \(token)"), ("content-type", "application/json")],
            body: Array(json.utf8))
    }

    /// Signs the administrator in; returns the cookie and the form token.
    func signIn() async throws -> (cookie: String, form: String) {
        let cookie = try await form("/login", ["token": token]).cookies
        let page = try await get("/tasks", cookie: cookie).text
        let mark = "name=\"form\" value=\""
        let start = page.firstRange(of: mark)?.upperBound ?? page.endIndex
        return (cookie, String(page[start...].prefix { $0 != "\"" }))
    }

    /// For a server that hangs: a loaded machine takes as long as it takes.
    private static let patience = TimeAmount.minutes(10)

    /// Redirections are looked at, not followed.
    private static let client = HTTPClient(
        eventLoopGroupProvider: .singleton, configuration: .init(redirectConfiguration: .disallow))
}

/// Runs the body beside a server on SQLite.
func withServer(
    runner: ScriptedRunner = ScriptedRunner(), isolation: isolated (any Actor)? = #isolation,
    _ body: @escaping @Sendable (ServerFixture) async throws -> Void
) async throws {
    try await withForge { forge in
        try await withTemporaryDirectory { directory in
            let text = """
                listen: 127.0.0.1:0
                url: http://so.example.com
                forge: {kind: github, api: \(forge.api), webhook-secret-file: webhook, token-file: token, oauth: {client-id: so, client-secret-file: oauth}}
                projects: [{repository: acme/shop}]
                """
            try write("oauth-secret", to: directory + "/oauth", mode: 0o600)
            try write(text, to: directory + "/orchestrator.yml")
            let configuration = try Configuration.load("orchestrator.yml", workingDirectory: directory)
            let store = try await configuration.openStore()
            let token = try await OrchestratorServer.makeAdministrator(store, stateDirectory: directory)
            let credentials = MemoryCredentials()
            let parts = ServerParts(
                configuration: configuration, store: store, forge: forge.client(), credentials: credentials,
                runner: runner, host: "host-a"
            ) { _ in }
            let server = try OrchestratorServer(parts)
            let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
            try await beside {
                try await server.run { continuation.yield($0) }
            } _: {
                var iterator = ports.makeAsyncIterator()
                let port = await iterator.next() ?? 0
                try await body(
                    ServerFixture(
                        url: "http://127.0.0.1:\(port)", token: token ?? "", store: store, forge: forge,
                        credentials: credentials, runner: runner, directory: directory))
            }
        }
    }
}

extension Range where Bound == Int {
    /// The same piece so often.
    fileprivate func async(_ piece: ByteBuffer) -> AsyncStream<ByteBuffer> {
        let pieces = map { _ in piece }.makeIterator()
        let remaining = Mutex(pieces)
        return AsyncStream { remaining.withLock { $0.next() } }
    }
}
