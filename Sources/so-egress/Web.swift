import AsyncHTTPClient
import Egress
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A whole request, and how to answer it.
struct WebRequest: Sendable {
    var head: HTTPRequestHead
    var body: ByteBuffer
    let outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// An answer of our own.
    func answer(_ status: Int, _ text: String, type: String = "text/plain; charset=utf-8") async throws {
        let bytes = ByteBuffer(string: text)
        let headers: HTTPHeaders = ["Content-Type": type, "Content-Length": "\(bytes.readableBytes)"]
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
        try await outbound.write(.head(head))
        if self.head.method != .HEAD { try await outbound.write(.body(.byteBuffer(bytes))) }
        try await outbound.write(.end(nil))
    }
}

typealias WebHandler = @Sendable (WebRequest) async throws -> Void

extension Gateway {
    func web(_ port: Int, serve handler: @escaping WebHandler) async throws -> Listener {
        // A client may end its side once it has asked.
        let half = bootstrap.childChannelOption(.allowRemoteHalfClosure, value: true)
        let server = try await half.bind(host: address, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                connections.count(channel)
                return try webChannel(channel)
            }
        }
        return { try await accept(server) { try await serve($0, handler) } }
    }

    /// The requests of one connection, one after another.
    func serve(_ channel: WebChannel, _ handler: @escaping WebHandler) async throws {
        try await channel.executeThenClose { inbound, outbound in
            var parts = inbound.makeAsyncIterator()
            while case .head(let head)? = try await parts.next() {
                var body = ByteBuffer()
                var isTooLong = false
                reading: while let part = try await parts.next() {
                    switch part {
                    case .head: return
                    case .body(var bytes):
                        isTooLong = isTooLong || body.readableBytes + bytes.readableBytes > bodyLimit
                        if !isTooLong { body.writeBuffer(&bytes) }
                    case .end: break reading
                    }
                }
                let request = WebRequest(head: head, body: body, outbound: outbound)
                if isTooLong {
                    try await request.answer(413, "so: a request may have \(bodyLimit >> 20) MiB\n")
                } else {
                    try await handler(request)
                }
                if !head.isKeepAlive { return }
            }
        }
    }

    /// Plain HTTP by its URL or Host: of the forward proxy's clients, and of those that ignore it.
    func servePlain(_ request: WebRequest) async throws {
        guard let (name, port, path) = plainTarget(request.head) else {
            return try await request.answer(400, "so: no host\n")
        }
        guard let addresses = await reach(name, port), let address = addresses.first, let ip = address.ipAddress else {
            return try await request.answer(403, "so: \(name):\(port) is not allowed\n")
        }
        var outgoing = HTTPClientRequest(url: "http://\(ip.contains(":") ? "[\(ip)]" : ip):\(port)\(path)")
        outgoing.method = request.head.method
        outgoing.headers = request.head.headers.withoutHopByHop
        outgoing.headers.replaceOrAdd(name: "Host", value: port == 80 ? name : "\(name):\(port)")
        if request.body.readableBytes > 0 { outgoing.body = .bytes(request.body) }
        try await relay(request, outgoing) { _, _ in }
    }

    private func plainTarget(_ head: HTTPRequestHead) -> (name: String, port: Int, path: String)? {
        guard head.uri.lowercased().hasPrefix("http://") else {
            guard head.uri.hasPrefix("/"), let host = head.headers.first(name: "Host"),
                let (name, port) = authority(host, defaultPort: 80)
            else { return nil }
            return (name, port, head.uri)
        }
        let rest = head.uri.dropFirst(7)
        let place = rest.prefix { $0 != "/" && $0 != "?" }
        guard !place.contains("@"), let (name, port) = authority(String(place), defaultPort: 80) else { return nil }
        let path = String(rest.dropFirst(place.count))
        return (name, port, path.hasPrefix("/") ? path : "/" + path)
    }

    /// Sends a request on and its answer back as it comes. `watch` sees the head, and then each piece of the body.
    ///
    /// - Parameter reads: whether an answer of one piece is read to its end also where its client has left: what it cost is said there. A stream ends with
    ///   its client, and so does its cost.
    /// - Throws: where the answer broke off, after `watch` has seen all that came; the client's connection is closed then.
    func relay(
        _ request: WebRequest, _ outgoing: HTTPClientRequest, reads: Bool = false,
        watch: (HTTPClientResponse, ByteBuffer?) -> Void
    ) async throws {
        let response: HTTPClientResponse
        do {
            response = try await client.execute(outgoing, deadline: .distantFuture)
        } catch {
            printError("so-egress: \(outgoing.url.prefix(200)): \(error)")
            return try await request.answer(502, "so: \(reason(error))\n")
        }
        watch(response, nil)
        var headers = response.headers.withoutHopByHop
        if let length = response.headers.first(name: "Content-Length") {
            headers.replaceOrAdd(name: "Content-Length", value: length)
        }
        let type = response.headers.first(name: "Content-Type")?.lowercased() ?? ""
        let survives = reads && !type.hasPrefix("text/event-stream")
        var lost: (any Error)?
        func send(_ part: HTTPServerResponsePart) async throws {
            guard lost == nil else { return }
            do {
                try await request.outbound.write(part)
            } catch {
                guard survives else { throw error }
                lost = error
            }
        }
        try await send(.head(HTTPResponseHead(version: .http1_1, status: response.status, headers: headers)))
        for try await bytes in response.body {
            watch(response, bytes)
            try await send(.body(.byteBuffer(bytes)))
        }
        try await send(.end(nil))
        if let lost { throw lost }
    }
}

/// Why a request could not be sent on, as the agent and its user may know it.
private func reason(_ error: any Error) -> String {
    guard error is NIOSSLError || error is NIOSSLExtraError else { return "the other side does not answer" }
    return
        "the other side has no certificate that is trusted here\nhint: trust its authority: so settings set certificate-authority FILE"
}

private let bodyLimit = 64 << 20

extension HTTPHeaders {
    /// What belongs to the message and not to the connection: RFC 9110 section 7.6.1.
    var withoutHopByHop: HTTPHeaders {
        var result = self
        let named = self[canonicalForm: "Connection"].map(String.init)
        let own = [
            "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "TE", "Trailer",
            "Transfer-Encoding", "Upgrade", "Content-Length", "Expect",
        ]
        for name in named + own { result.remove(name: name) }
        return result
    }
}
