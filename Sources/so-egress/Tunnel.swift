import Egress
import NIOCore
import NIOPosix

typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

/// Connects to the first of the addresses that answers.
func connectTunnel(_ addresses: [SocketAddress], on group: any EventLoopGroup) async throws -> ByteChannel {
    var failure: any Error = Failed("no address")
    for address in addresses {
        do {
            return try await ClientBootstrap(group: group).connectTimeout(.seconds(10))
                .channelOption(.allowRemoteHalfClosure, value: true)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelOption(.recvAllocator, value: tunnelAllocator)
                .connect(to: address) { channel in
                    channel.eventLoop.makeCompletedFuture { try byteChannel(channel) }
                }
        } catch {
            failure = error
        }
    }
    throw failure
}

let tunnelAllocator = AdaptiveRecvByteBufferAllocator(minimum: 1024, initial: 4096, maximum: 256 << 10)

func byteChannel(_ channel: any Channel) throws -> ByteChannel {
    try NIOAsyncChannel(
        wrappingChannelSynchronously: channel,
        configuration: .init(
            backPressureStrategy: .init(lowWatermark: 4, highWatermark: 16), isOutboundHalfClosureEnabled: true))
}

/// Copies both ways until both sides have said all, or either fails.
func splice(_ one: ByteChannel, _ other: ByteChannel, greeting: ByteBuffer? = nil) async throws {
    try await one.executeThenClose { oneIn, oneOut in
        if let greeting { try await oneOut.write(greeting) }
        try await other.executeThenClose { otherIn, otherOut in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await copy(oneIn, to: otherOut) }
                group.addTask { try await copy(otherIn, to: oneOut) }
                try await group.next()
                try await group.next()
            }
        }
    }
}

private func copy(
    _ source: NIOAsyncChannelInboundStream<ByteBuffer>, to target: NIOAsyncChannelOutboundWriter<ByteBuffer>
) async throws {
    for try await bytes in source { try await target.write(bytes) }
    target.finish()
}
