import Egress
import NIOCore
import NIOHTTP1
import NIOPosix

typealias WebChannel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

/// What a client of the forward proxy wants.
enum ProxyUse: Sendable {
    case tunnel(target: String, TunnelChannel)
    case web(WebChannel)
}

extension Gateway {
    /// The forward proxy: CONNECT, and plain requests with a whole URL.
    func proxy(_ port: Int) async throws -> Listener {
        let server = try await negotiating(port, limit: 16 << 10, judge: judgeProxyUse)
        return {
            try await accept(server) { negotiation in
                switch try await negotiation.get() {
                case .web(let channel): try await serve(channel, servePlain)
                case .tunnel(let target, let channel): try await connect(channel, target)
                }
            }
        }
    }

    private func connect(_ connection: TunnelChannel, _ target: String) async throws {
        guard let (name, port) = authority(target), let addresses = await reach(name, port) else {
            return try await answer(connection, "403 Forbidden", "so: \(target.prefix(200)) is not allowed\n")
        }
        guard let upstream = await connection.upstream(addresses) else {
            return try await answer(connection, "502 Bad Gateway", "so: \(target.prefix(200)) does not answer\n")
        }
        try await connection.join(
            upstream, greeting: ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n"))
    }

    private func answer(_ connection: TunnelChannel, _ status: String, _ text: String) async throws {
        let head = "HTTP/1.1 \(status)\r\nContent-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
        try await connection.close(answering: ByteBuffer(string: head + text))
    }
}

private func judgeProxyUse(_ bytes: [UInt8]) -> Negotiator<ProxyUse>.Verdict {
    let method = Array("CONNECT ".utf8)
    guard bytes.starts(with: method.prefix(bytes.count)) else {
        return .decided(skipping: 0) { .web(try webChannel($0)) }
    }
    guard let end = endOfHead(bytes) else { return .undecided }
    let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 3 else { return .hopeless }
    let target = String(words[1])
    return .decided(skipping: end) { .tunnel(target: target, try TunnelChannel($0)) }
}

private func endOfHead(_ bytes: [UInt8]) -> Int? {
    let end = Array("\r\n\r\n".utf8)
    guard bytes.count >= end.count else { return nil }
    return (0...(bytes.count - end.count)).first { bytes[$0..<$0 + end.count].elementsEqual(end) }.map {
        $0 + end.count
    }
}

/// `name:port` of a CONNECT or of a Host header.
func authority(_ text: String, defaultPort: Int? = nil) -> (name: String, port: Int)? {
    var name = text[...]
    var port = defaultPort
    if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]"),
        !text[..<colon].contains(":") || text.hasPrefix("[")
    {
        guard let number = Int(text[text.index(after: colon)...]), (1...65535).contains(number) else { return nil }
        port = number
        name = text[..<colon]
    }
    guard let host = hostName(name), let port else { return nil }
    return (host, port)
}

func webChannel(_ channel: any Channel) throws -> WebChannel {
    try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: true)
    try channel.pipeline.syncOperations.addHandler(RequestDeadline())
    return try WebChannel(wrappingChannelSynchronously: channel)
}
