import Egress
import NIOCore
import NIOPosix

/// A connection that can become one end of a tunnel. Nothing is read from it before that.
struct TunnelChannel: Sendable {
    let channel: any Channel
    private let end: NIOLoopBound<TunnelEnd>

    /// On the channel's event loop.
    init(_ channel: any Channel) throws {
        let end = TunnelEnd()
        try channel.pipeline.syncOperations.addHandler(end)
        (self.channel, self.end) = (channel, NIOLoopBound(end, eventLoop: channel.eventLoop))
    }

    /// Leads it to the first of the addresses that answers; closed where none does.
    func lead(to addresses: [SocketAddress]) async throws {
        guard let upstream = await upstream(addresses) else { return try await close() }
        try await join(upstream)
    }

    /// A connection to the first of the addresses that answers; nil where none does.
    func upstream(_ addresses: [SocketAddress]) async -> TunnelChannel? {
        for address in addresses {
            let connection = try? await ClientBootstrap(group: channel.eventLoop).connectTimeout(.seconds(10))
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.recvAllocator, value: tunnelAllocator)
                .connect(to: address) { channel in
                    channel.eventLoop.makeCompletedFuture { try TunnelChannel(channel) }
                }
            if let connection { return connection }
        }
        return nil
    }

    /// Copies both ways until both sides have said all, or either fails.
    ///
    /// - Parameter greeting: what the client is told first.
    func join(_ upstream: TunnelChannel, greeting: ByteBuffer? = nil) async throws {
        try await withTaskCancellationHandler {
            try await channel.eventLoop.submit {
                if let greeting { channel.writeAndFlush(greeting, promise: nil) }
                TunnelEnd.join(end.value, upstream.end.value)
            }.get()
            try await channel.closeFuture.get()
            try await upstream.channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
            upstream.channel.close(promise: nil)
        }
    }

    /// Writes a last answer, if any, and closes it.
    func close(answering answer: ByteBuffer? = nil) async throws {
        if let answer { try? await channel.writeAndFlush(answer) }
        try await channel.close()
    }
}

let tunnelAllocator = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 << 10)
