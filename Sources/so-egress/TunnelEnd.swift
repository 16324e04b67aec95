import NIOCore

/// One end of a tunnel: what comes in goes out at the other end, which takes no more than it can pass on.
///
/// It reads nothing before it is joined. Both ends stand on one event loop, so that bytes pass from a socket to a socket without a task between.
final class TunnelEnd: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var other: TunnelEnd?
    /// What came before the ends were joined: the first bytes, by which it was decided what the connection is.
    private var held: [ByteBuffer] = []
    private var hasEnded = false
    private var waitsToRead = false

    /// Has two ends pass on what they read.
    static func join(_ one: TunnelEnd, _ other: TunnelEnd) {
        (one.other, other.other) = (other, one)
        let both = [one, other]
        // First of all: an end that is told to close lets go of the other one.
        for end in both { end.passHeld() }
        for end in both { end.passEnd() }
        for end in both { end.readFurther() }
    }

    private func passHeld() {
        for bytes in held { other?.write(bytes) }
        held = []
        other?.flush()
    }

    private func passEnd() {
        if hasEnded { other?.finish(.output) }
        if context == nil { other?.finish(.all) }
    }

    // MARK: What the other end asks for

    private var canTake: Bool { context?.channel.isWritable ?? false }

    private func write(_ bytes: ByteBuffer) { context?.write(wrapOutboundOut(bytes), promise: nil) }

    private func flush() { context?.flush() }

    /// Closes it once everything is written: a close by itself would drop what is not.
    private func finish(_ mode: CloseMode) {
        guard let context else { return }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer())).whenComplete { _ in channel.close(mode: mode, promise: nil)
        }
    }

    private func readFurther() {
        guard waitsToRead, let context, other?.canTake ?? false else { return }
        waitsToRead = false
        context.read()
    }

    // MARK: What the channel tells

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func read(context: ChannelHandlerContext) {
        waitsToRead = true
        readFurther()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let other { other.write(bytes) } else { held.append(bytes) }
    }

    func channelReadComplete(context: ChannelHandlerContext) { other?.flush() }

    func channelWritabilityChanged(context: ChannelHandlerContext) { other?.readFurther() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return }
        hasEnded = true
        other?.finish(.output)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        other?.finish(.all)
        // Two ends that know each other would live for ever.
        other = nil
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
