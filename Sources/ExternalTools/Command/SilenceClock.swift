import Synchronization

/// When something was last heard of a process, or has changed last.
package final class SilenceClock: Sendable {
    private let last = Mutex(ContinuousClock.now)

    package init() {}

    package func heard() { last.withLock { $0 = .now } }

    /// Returns when nothing was heard for so long.
    package func wait(_ limit: Duration) async throws {
        while true {
            let end = last.withLock { $0 }.advanced(by: limit)
            if end <= .now { return }
            try await Task.sleep(until: end, clock: .continuous)
        }
    }
}
