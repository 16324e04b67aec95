import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The HTTP server: takes requests for a table of routes until it is cancelled.
struct HTTPServer: Sendable {
    let address: ListenAddress
    let table: RouteTable
    /// How an error looks: as JSON, or as a page.
    let failure: @Sendable (any Error, WebRequest) async -> WebResponse
    let metrics: Metrics
    private let bodies = BodyAllowance()

    /// Sent with every answer that does not say otherwise.
    private static let headers: [(name: String, value: String)] = [
        ("x-content-type-options", "nosniff"), ("referrer-policy", "same-origin"), ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"), ("cross-origin-resource-policy", "same-origin"),
        (
            "content-security-policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        ), ("cache-control", "no-store"),
    ]

    /// - Parameter started: is told the port when the server listens.
    func run(started: @escaping @Sendable (Int) async -> Void) async throws {
        var logger = Logger(label: "so.http")
        logger.logLevel = .critical
        let application = Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in await respond(request) },
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port), serverName: "so"),
            onServerRunning: { channel in await started(channel.localAddress?.port ?? address.port) }, logger: logger)
        try await application.run()
    }

    private func respond(_ request: Request) async -> Response {
        let started = ContinuousClock.now
        let web = WebRequest(request, bodies)
        let answer: WebResponse
        do {
            answer = try await table.answer(web)
        } catch {
            answer = await failure(error, web)
        }
        metrics.answered(answer.status, after: started.duration(to: .now))
        return Response(answer, defaults: Self.headers, isHead: web.method == "HEAD")
    }
}

extension WebRequest {
    init(_ request: Request, _ allowance: BodyAllowance) {
        var headers: [String: String] = [:]
        for field in request.headers where headers[field.name.canonicalName] == nil {
            headers[field.name.canonicalName] = field.value
        }
        let body = request.body
        self.init(
            method: request.method.rawValue,
            path: request.uri.path.split(separator: "/").map { URLText.decoded($0) },
            query: URLText.fields(request.uri.query ?? ""), headers: headers
        ) { limit in try await allowance.read(body, upTo: limit) }
    }
}

extension Response {
    init(_ response: WebResponse, defaults: [(name: String, value: String)], isHead: Bool) {
        var fields = HTTPFields()
        let own = Set(response.headers.map(\.name))
        for header in defaults.filter({ !own.contains($0.name) }) + response.headers {
            guard let name = HTTPField.Name(header.name) else { continue }
            fields.append(HTTPField(name: name, value: header.value))
        }
        let body: ResponseBody
        switch response.body {
        case .bytes(let bytes):
            fields[.contentLength] = "\(bytes.count)"
            body = isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        case .stream(let stream): body = Self.streamed(stream)
        }
        self.init(status: .init(code: response.status), headers: fields, body: body)
    }

    /// The writer is not sendable; what it writes goes through a stream of its own.
    private static func streamed(_ stream: @escaping WebResponse.Stream) -> ResponseBody {
        ResponseBody { writer in
            let (texts, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1024))
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { continuation.finish() }
                    try await stream { text in
                        try Task.checkCancellation()
                        // A peer that does not read is let go.
                        if case .dropped = continuation.yield(text) { throw CancellationError() }
                    }
                }
                defer { group.cancelAll() }
                for await text in texts { try await writer.write(ByteBuffer(string: text)) }
            }
            try await writer.finish(nil)
        }
    }
}
