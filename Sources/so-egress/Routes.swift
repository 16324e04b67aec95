import AsyncHTTPClient
import Egress
import NIOCore
import NIOHTTP1

extension Gateway {
    /// Providers and repositories: the agent shows the session's token, the real credential is put in here.
    func serveRoutes(_ request: WebRequest) async throws {
        let head = request.head
        let routed = RoutedRequest(
            configuration, method: head.method.rawValue, target: head.uri, tokens: tokens(head.headers))
        switch routed {
        case .refused(let refusal):
            if let reason = refusal.reason { ledger.deny("\(head.method.rawValue) \(head.uri.prefix(100))", reason) }
            try await refuse(request, refusal.status, refusal.message)
        case .repository(let repository, let url):
            var outgoing = forwarded(request, url)
            if let value = repository.authorization {
                outgoing.headers.replaceOrAdd(name: "Authorization", value: value)
            }
            if request.body.readableBytes > 0 { outgoing.body = .bytes(request.body) }
            try await relay(request, outgoing) { _, _ in }
        case .provider(let provider, let url):
            if request.head.headers.contains(name: "Upgrade") {
                return try await refuse(request, 426, "so forwards no WebSockets")
            }
            try await ask(provider, url, request)
        }
    }

    private func ask(_ provider: Provider, _ url: String, _ request: WebRequest) async throws {
        let path = String(url.prefix { $0 != "?" })
        let body = RequestBody(Array(request.body.readableBytesView), dialect: provider.dialect, path: path)
        var outgoing = forwarded(request, url)
        for (name, value) in provider.headers { outgoing.headers.put(name, value) }
        // The answer is read here on its way.
        outgoing.headers.replaceOrAdd(name: "Accept-Encoding", value: "identity")
        if !body.bytes.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: body.bytes)) }
        guard provider.dialect.isCharged(request.head.method.rawValue, path) else {
            return try await relay(request, outgoing) { _, _ in }
        }
        let (reservation, message) = ledger.reserve(body)
        guard let reservation else { return try await refuse(request, 400, message) }
        var meter = Meter(provider: provider, body: body)
        defer {
            ledger.release(reservation)
            meter.settle(ledger)
        }
        try await relay(request, outgoing, reads: true) { meter.watch($0, $1) }
    }

    /// In a form that every provider's CLI shows. 400 ends at once where other codes are tried again.
    private func refuse(_ request: WebRequest, _ status: Int, _ message: String) async throws {
        let text = try encoded(ErrorAnswer(message: "so: " + message, status: status))
        try await request.answer(status, text, type: "application/json")
    }

    private func forwarded(_ request: WebRequest, _ url: String) -> HTTPClientRequest {
        var outgoing = HTTPClientRequest(url: url)
        outgoing.method = request.head.method
        outgoing.headers = request.head.headers.withoutHopByHop
        for name in ["Host", "Authorization", "x-api-key", "x-goog-api-key", "Cookie"] {
            outgoing.headers.remove(name: name)
        }
        return outgoing
    }

    private func tokens(_ headers: HTTPHeaders) -> [String] {
        let bearer = headers["Authorization"].compactMap { value in
            value.lowercased().hasPrefix("bearer ") ? String(value.dropFirst(7)) : nil
        }
        return bearer + headers["x-api-key"] + headers["x-goog-api-key"]
    }
}

/// Reads what one answer cost while it passes.
private struct Meter {
    let provider: Provider
    let body: RequestBody
    private var reader: UsageReader?
    private var status = 0

    init(provider: Provider, body: RequestBody) {
        self.provider = provider
        self.body = body
    }

    mutating func watch(_ response: HTTPClientResponse, _ bytes: ByteBuffer?) {
        if let bytes {
            reader?.read(bytes.readableBytesView)
        } else {
            status = Int(response.status.code)
            // An error costs nothing.
            guard status < 300 else { return }
            reader = UsageReader(provider.dialect, contentType: response.headers.first(name: "Content-Type") ?? "")
        }
    }

    mutating func settle(_ ledger: Ledger) {
        guard let result = reader?.finish(requestBytes: body.bytes.count) else { return }
        ledger.settle(result, provider: provider.name, model: body.model, status: status)
    }
}

private struct ErrorAnswer: Encodable {
    // Anthropic's and OpenAI's forms in one.
    var type = "error"
    var error: Detail

    struct Detail: Encodable {
        var type: String
        var message: String
        var code: String
    }

    init(message: String, status: Int) {
        let type = status == 401 ? "authentication_error" : "invalid_request_error"
        error = Detail(type: type, message: message, code: "so_\(status)")
    }
}

extension HTTPHeaders {
    /// Sets a header, or with `+` adds to the list that the client sent.
    fileprivate mutating func put(_ name: String, _ value: String) {
        guard value.hasPrefix("+") else { return replaceOrAdd(name: name, value: value) }
        let list = self[canonicalForm: name].map(String.init) + [String(value.dropFirst())]
        replaceOrAdd(name: name, value: list.joined(separator: ","))
    }
}
