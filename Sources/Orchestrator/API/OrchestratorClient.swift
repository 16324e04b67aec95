import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// The API's client: what the verbs of `so orchestrator` stand on.
package struct OrchestratorClient: Sendable {
    private let url: String
    private let token: String

    /// - Parameters:
    ///   - url: of the server.
    ///   - token: the administrator's.
    package init(url: String, token: String) {
        self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
        self.token = token
    }

    package func tasks(state: String?, repository: String?, limit: Int) async throws -> [TaskView] {
        var query = ["limit=\(limit)"]
        if let state { query.append("state=\(URLText.encoded(state))") }
        if let repository { query.append("repository=\(URLText.encoded(repository))") }
        return try await value([TaskView].self, .GET, "/tasks?\(query.joined(separator: "&"))")
    }

    package func task(_ id: Int64) async throws -> TaskView { try await value(TaskView.self, .GET, "/tasks/\(id)") }

    package func activity(of task: Int64) async throws -> [Activity] {
        try await value([Activity].self, .GET, "/tasks/\(task)/activity")
    }

    package func output(of task: Int64, after id: Int64) async throws -> [OutputPiece] {
        try await value([OutputPiece].self, .GET, "/tasks/\(task)/output?after=\(id)")
    }

    package func retry(_ task: Int64) async throws -> TaskView {
        try await value(TaskView.self, .POST, "/tasks/\(task)/retry")
    }

    package func cancel(_ task: Int64) async throws -> TaskView {
        try await value(TaskView.self, .POST, "/tasks/\(task)/cancel")
    }

    package func credentials() async throws -> [String] {
        try await value([CredentialView].self, .GET, "/credentials").map(\.name)
    }

    package func set(credential name: String, to value: String) async throws {
        let body = try APIJSON.encoder().encode(CredentialValue(value: value))
        _ = try await send(.PUT, "/credentials/\(URLText.encoded(name))", body: Array(body))
    }

    package func rotateCredentials() async throws { _ = try await send(.POST, "/credentials/rotate") }

    package func unset(credential name: String) async throws {
        _ = try await send(.DELETE, "/credentials/\(URLText.encoded(name))")
    }

    /// Hands out what an agent writes, until its task is in nobody's hands any more.
    package func follow(_ task: Int64, _ body: (String) -> Void) async throws {
        var request = request(.GET, "/tasks/\(task)/events")
        request.headers.add(name: "accept", value: "text/event-stream")
        let response = try await execute(request, timeout: .hours(24))
        try await check(response)
        var pending: [UInt8] = []
        for try await var buffer in response.body {
            pending += buffer.readBytes(length: buffer.readableBytes) ?? []
            while let end = pending.firstRange(of: [10, 10]) {
                let event = String(decoding: pending[..<end.lowerBound], as: UTF8.self)
                pending.removeSubrange(..<end.upperBound)
                if try isLast(event, body) { return }
            }
        }
    }

    private func isLast(_ event: String, _ body: (String) -> Void) throws -> Bool {
        let fields = event.split(separator: "\n")
        guard let data = fields.first(where: { $0.hasPrefix("data: ") })?.dropFirst("data: ".count) else {
            return false
        }
        let bytes = Data(data.utf8)
        if fields.contains("event: output") { body(try APIJSON.decoder().decode(OutputPiece.self, from: bytes).text) }
        guard fields.contains("event: state") else { return false }
        let state = try APIJSON.decoder().decode(TaskView.self, from: bytes).state
        return state.isEnded || state == .review || state == .blocked
    }

    private func request(_ method: HTTPMethod, _ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: "\(url)/api/v1\(path)")
        request.method = method
        request.headers = ["authorization": "Bearer \(token)", "accept": "application/json"]
        return request
    }

    private func value<Value: Decodable>(_: Value.Type, _ method: HTTPMethod, _ path: String) async throws -> Value {
        let bytes = try await send(method, path)
        do { return try APIJSON.decoder().decode(Value.self, from: Data(bytes)) } catch {
            throw OrchestratorError(
                .failed, "the answer of \(url) cannot be read", hint: "is it an orchestrator of this version?")
        }
    }

    private func send(_ method: HTTPMethod, _ path: String, body: [UInt8]? = nil) async throws -> [UInt8] {
        var request = request(method, path)
        if let body {
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await execute(request, timeout: .seconds(30))
        try await check(response)
        return Array(try await response.body.collect(upTo: 64 << 20).readableBytesView)
    }

    private func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
        do {
            return try await HTTPClient.shared.execute(request, timeout: timeout)
        } catch let error as HTTPClientError {
            throw OrchestratorError(
                .unavailable, "the orchestrator at \(url) does not answer", cause: "\(error)",
                hint: "so orchestrator serve")
        } catch let error as NIOConnectionError {
            throw OrchestratorError(
                .unavailable, "the orchestrator at \(url) does not answer",
                cause: error.connectionErrors.first.map { "\($0.error)" }, hint: "so orchestrator serve")
        }
    }

    private func check(_ response: HTTPClientResponse) async throws {
        guard !(200..<300).contains(Int(response.status.code)) else { return }
        let body = try await response.body.collect(upTo: 1 << 20)
        let failure = try? APIJSON.decoder().decode(FailureView.self, from: Data(body.readableBytesView))
        let codes: [UInt: OrchestratorError.Code] = [
            400: .invalid, 401: .notPermitted, 403: .notPermitted, 404: .missing, 409: .conflict, 503: .unavailable,
        ]
        throw OrchestratorError(
            codes[response.status.code] ?? .failed,
            failure?.message ?? "the orchestrator answered \(response.status.code)",
            hint: failure?.hint ?? (response.status.code == 401 ? "name its token with --token-file" : nil))
    }
}
