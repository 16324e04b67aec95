import NIOCore

/// Holds the first bytes of a connection until they tell what it is, then gives way to what was decided.
///
/// A connection that does not tell within the time, or the size, is closed.
final class Negotiator<Decision: Sendable>: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// What the bytes say so far.
    enum Verdict {
        case undecided
        /// How many bytes are used up, and what becomes of the pipeline.
        case decided(skipping: Int, (any Channel) throws -> Decision)
        case hopeless
    }

    private let judge: ([UInt8]) -> Verdict
    private let promise: EventLoopPromise<Decision>
    private let limit: Int
    private var held = ByteBuffer()
    private var isDone = false
    private var deadline: Scheduled<Void>?

    init(
        limit: Int, promise: EventLoopPromise<Decision>, judge: @escaping ([UInt8]) -> Verdict
    ) {
        self.limit = limit
        self.promise = promise
        self.judge = judge
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .seconds(10)) { channel.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        held.writeBuffer(&bytes)
        guard !isDone else { return }
        switch judge(Array(held.readableBytesView)) {
        case .undecided: if held.readableBytes > limit { give(up: context) }
        case .hopeless: give(up: context)
        case .decided(let count, let configure): settle(context, count, configure)
        }
    }

    private func settle(_ context: ChannelHandlerContext, _ count: Int, _ configure: (any Channel) throws -> Decision) {
        isDone = true
        deadline?.cancel()
        held.moveReaderIndex(forwardBy: count)
        do {
            let decision = try configure(context.channel)
            // Before the removal, which fails what was not decided.
            promise.succeed(decision)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            promise.fail(error)
            context.close(promise: nil)
        }
    }

    private func give(up context: ChannelHandlerContext) {
        isDone = true
        context.close(promise: nil)
    }

    func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
        if held.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(held))
            context.fireChannelReadComplete()
        }
        context.leavePipeline(removalToken: removalToken)
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        promise.fail(Failed("the connection ended before it said what it is"))
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        promise.fail(Failed("the connection ended before it said what it is"))
    }
}
