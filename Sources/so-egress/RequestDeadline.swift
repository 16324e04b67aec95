import NIOCore
import NIOHTTP1

/// Closes a connection whose client does not finish its request in time, or sends none; it may wait for an answer as long as it likes.
final class RequestDeadline: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private var timer: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) { start(context, .seconds(30)) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: start(context, .minutes(5))
        case .body: break
        case .end: timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { start(context, .minutes(2)) }
        context.write(data, promise: promise)
    }

    private func start(_ context: ChannelHandlerContext, _ time: TimeAmount) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
