import Synchronization

/// Lets a number of tasks in at a time, in the order in which they came.
///
/// A task that is cancelled while it waits goes in at once, without a place: what it then does finds the cancellation by itself.
package final class Gate: Sendable {
    private struct State {
        var places: Int
        var nextID = 0
        var waiting: [(id: Int, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Mutex<State>

    package init(places: Int) { state = Mutex(State(places: max(1, places))) }

    package func pass<Value: Sendable, Failure: Error>(
        _ body: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let hasPlace = await enter()
        defer { if hasPlace { leave() } }
        return try await body()
    }

    private func enter() async -> Bool {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let answer = admit(id, continuation) { continuation.resume(returning: answer) }
            }
        } onCancel: {
            giveUp(id)
        }
    }

    /// Whether there is a place; nil: it waits for one.
    private func admit(_ id: Int, _ continuation: CheckedContinuation<Bool, Never>) -> Bool? {
        state.withLock { state in
            if state.places > 0 {
                state.places -= 1
                return true
            }
            if Task.isCancelled { return false }
            state.waiting.append((id, continuation))
            return nil
        }
    }

    private func giveUp(_ id: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0).continuation }
        }
        waiter?.resume(returning: false)
    }

    private func leave() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.places += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }
}
