import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends requests to a forge's API: obeys its limits, repeats what is safe to repeat, and shows the token to nobody else.
struct ForgeConnection: Sendable {
    /// Without a slash at its end: `https://api.github.com`.
    let base: String
    let authorization: any ForgeAuthorization
    /// Sent with each request.
    var headers: [(name: String, value: String)] = []
    let limits: ForgeLimits
    /// How often a request is sent that may be sent again.
    private let attempts: Int
    private let timeout: TimeAmount
    private let client: HTTPClient

    private static let bodyLimit = 16 << 20
    private static let pageLimit = 50

    /// - Parameter isPatient: false: a request that does not succeed at once has failed.
    init(base: String, authorization: any ForgeAuthorization, isPatient: Bool = true, writeInterval: Duration) {
        (attempts, timeout) = isPatient ? (5, .seconds(60)) : (1, .seconds(15))
        client = isPatient ? OutgoingHTTP.client : OutgoingHTTP.impatient
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.authorization = authorization
        limits = ForgeLimits(writeInterval: writeInterval)
    }

    /// The answer of a success.
    func send(_ request: ForgeRequest) async throws -> ForgeResponse {
        let response = try await answer(request)
        guard response.isSuccess else { throw Self.error(response, request) }
        return response
    }

    func value<Value: Decodable>(_ type: Value.Type, _ request: ForgeRequest) async throws -> Value {
        try await send(request).decoded(type, for: request.purpose)
    }

    /// All items of a list, page by page.
    func list<Item: Decodable>(_ type: Item.Type, _ request: ForgeRequest) async throws -> [Item] {
        var items: [Item] = []
        var next: ForgeRequest? = request
        for _ in 0..<Self.pageLimit {
            guard let page = next else { break }
            let response = try await send(page)
            items += try response.decoded([Item].self, for: request.purpose)
            next = try response.nextPage.map { try following($0, page) }
        }
        return items
    }

    /// The answer whatever its status, once limits, expired tokens and passing failures have been dealt with.
    func answer(_ request: ForgeRequest) async throws -> ForgeResponse {
        var request = request
        var (mayAuthenticateAgain, redirections) = (true, 0)
        for attempt in 1... {
            try await limits.enter(isWrite: request.method != .get, to: request.purpose)
            guard let response = try await sendOnce(request, isLast: attempt >= attempts) else {
                try await Task.sleep(for: .milliseconds(250 << attempt))
                continue
            }
            let isLimited = await limits.note(response)
            if isLimited {
                guard attempt >= attempts else { continue }
                // No missing permission, whatever its status: it passes.
                throw OrchestratorError(
                    .unavailable, "cannot \(request.purpose)", cause: "the forge's limit is used up",
                    hint: "it is tried again later")
            }
            if response.status == 401, mayAuthenticateAgain, await authorization.refuse(request.scope) {
                mayAuthenticateAgain = false
                continue
            }
            if [301, 302, 307, 308].contains(response.status), redirections < 3,
                let location = response.headers["location"]
            {
                redirections += 1
                request = try following(location, request)
                continue
            }
            return response
        }
        throw OrchestratorError(.unavailable, "cannot \(request.purpose)")
    }

    /// Nil: it did not succeed, and may be sent again.
    private func sendOnce(_ request: ForgeRequest, isLast: Bool) async throws -> ForgeResponse? {
        let header = try await authorization.header(for: request.scope)
        var message = HTTPClientRequest(url: base + request.path)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers.add(name: "Authorization", value: header)
        message.headers.add(name: "User-Agent", value: "so-orchestrator")
        for (name, value) in headers { message.headers.add(name: name, value: value) }
        if let body = request.body {
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(ByteBuffer(bytes: body))
        }
        do {
            let answer = try await client.execute(message, timeout: timeout)
            let body = try await answer.body.collect(upTo: Self.bodyLimit)
            let pairs = answer.headers.map { ($0.name.lowercased(), $0.value) }
            let status = Int(answer.status.code)
            if status >= 500, request.isRepeatable, !isLast { return nil }
            return ForgeResponse(
                status: status, headers: Dictionary(pairs) { "\($0), \($1)" }, body: Array(body.readableBytesView))
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if request.isRepeatable, !isLast { return nil }
            throw OrchestratorError(
                .unavailable, "cannot \(request.purpose)", cause: "\(base) does not answer (\(Self.words(error)))",
                hint: "check forge.api, and that this host reaches it")
        }
    }

    /// Of the connection's own failure, which holds nothing of the request.
    private static func words(_ error: any Error) -> String {
        switch error {
        case let error as HTTPClientError: error.shortDescription
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { "\($0.error)" } ?? "it cannot be connected to"
        default: "\(type(of: error))"
        }
    }

    /// The same request at another address of the same server: a renamed repository, or the next page.
    private func following(_ location: String, _ request: ForgeRequest) throws(OrchestratorError) -> ForgeRequest {
        var request = request
        let isRelative = location.hasPrefix("/") && !location.hasPrefix("//")
        let address = isRelative ? origin + location : location
        guard address.hasPrefix(base + "/") else {
            throw OrchestratorError(
                .failed, "cannot \(request.purpose)", cause: "the forge redirects to another server",
                hint: "check forge.api: it is \(base)")
        }
        request.path = String(address.dropFirst(base.count))
        return request
    }
    /// The base without its path.
    private var origin: String {
        guard let scheme = base.firstRange(of: "://") else { return base }
        return String(base[..<scheme.upperBound]) + base[scheme.upperBound...].prefix { $0 != "/" }
    }
}
