import Synchronization

/// Hands changes to everybody who listens in this process. Who is too slow loses the oldest.
final class ChangeHub: Sendable {
    private struct Listeners {
        var next = 0
        var streams: [Int: AsyncStream<Int64>.Continuation] = [:]
    }

    private let listeners = Mutex(Listeners())

    func stream() -> AsyncStream<Int64> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(256))
        let key = listeners.withLock { listeners in
            listeners.next += 1
            listeners.streams[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.streams.removeValue(forKey: key) }
        }
        return stream
    }

    func announce(_ tasks: some Sequence<Int64>) {
        let streams = listeners.withLock { Array($0.streams.values) }
        for task in tasks { for stream in streams { stream.yield(task) } }
    }
}

/// What means a change that is not a task's.
enum StoreChange {
    /// Changes may have been missed: look at everything.
    static let unknown: Int64 = 0
    /// A delivery was recorded.
    static let delivery: Int64 = -1
}
