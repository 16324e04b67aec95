import NIOCore
import Synchronization

/// How many connections are open: one too many is refused, so that an agent cannot use up memory or descriptors.
final class ConnectionCount: Sendable {
    private let open = Mutex(0)
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Throws: where there are too many; the channel is closed then.
    func count(_ channel: any Channel) throws {
        let isFree = open.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
        guard isFree else { throw Failed("too many connections") }
        channel.closeFuture.whenComplete { _ in self.open.withLock { $0 -= 1 } }
    }
}
