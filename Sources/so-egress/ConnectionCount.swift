import NIOCore
import Synchronization

/// How many connections are open: one too many is refused, so that an agent cannot use up memory or descriptors.
final class ConnectionCount: Sendable {
    private let open = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Takes in a connection, or closes it where there are too many. It never throws: an error here would end the listener with it.
    func count(_ channel: any Channel) {
        let isFree = open.withLock { count in
            count += 1
            return count <= limit
        }
        channel.closeFuture.whenComplete { _ in self.open.withLock { $0 -= 1 } }
        if !isFree { channel.eventLoop.execute { channel.close(promise: nil) } }
    }
}
