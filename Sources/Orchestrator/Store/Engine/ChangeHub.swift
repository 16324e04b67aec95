import Synchronization

/// Hands changes to everybody who listens in this process. Who is too slow loses the oldest.
final class ChangeHub: Sendable {
    private typealias Listener = AsyncStream<Int64>.Continuation

    private struct Listeners {
        var next = 0
        var ofAll: [Int: Listener] = [:]
        /// Most listen to one task, and are not woken by the others'.
        var ofTask: [Int64: [Int: Listener]] = [:]

        func of(_ change: Int64) -> [Listener] {
            let some =
                change == StoreChange.unknown
                ? ofTask.values.flatMap(\.values) : ofTask[change].map { Array($0.values) }
            return Array(ofAll.values) + (some ?? [])
        }
    }

    private let listeners = Mutex(Listeners())

    func stream() -> AsyncStream<Int64> {
        let (stream, listener) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(256))
        let key = listeners.withLock { listeners in
            listeners.next += 1
            listeners.ofAll[listeners.next] = listener
            return listeners.next
        }
        listener.onTermination = { [weak self] _ in
            _ = self?.listeners.withLock { $0.ofAll.removeValue(forKey: key) }
        }
        return stream
    }

    /// Changes of one task, and those that say that some may have been missed; several before anybody looks are one.
    func stream(of task: Int64) -> AsyncStream<Int64> {
        let (stream, listener) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
        let key = listeners.withLock { listeners in
            listeners.next += 1
            listeners.ofTask[task, default: [:]][listeners.next] = listener
            return listeners.next
        }
        listener.onTermination = { [weak self] _ in
            self?.listeners.withLock { listeners in
                listeners.ofTask[task]?[key] = nil
                if listeners.ofTask[task]?.isEmpty == true { listeners.ofTask[task] = nil }
            }
        }
        return stream
    }

    func announce(_ changes: some Sequence<Int64>) {
        for change in changes {
            for listener in listeners.withLock({ $0.of(change) }) { listener.yield(change) }
        }
    }
}

/// What means a change that is not a task's.
enum StoreChange {
    /// Changes may have been missed: look at everything.
    static let unknown: Int64 = 0
    /// A delivery was recorded.
    static let delivery: Int64 = -1
}
