import Synchronization

/// What an agent does between two writes of it to the store.
package final class GatheredEvents: Sendable {
    package struct State: Sendable {
        var output = ""
        /// Bytes of output that came too fast.
        var omitted: Int64 = 0
        /// The last ones, the oldest first.
        var steps: [String] = []
        var usage: TaskUsage?
        var refusals: [String] = []

        /// The output, with what is missing at its end.
        package var log: String { omitted > 0 ? output + "\n" + OutputLimits.omission(omitted) : output }

        mutating func add(_ text: String) {
            let room = GatheredEvents.limit - output.utf8.count
            guard text.utf8.count > room else { return output += text }
            output += String(decoding: text.utf8.prefix(max(room, 0)), as: UTF8.self)
            omitted += Int64(text.utf8.count - max(room, 0))
        }
    }

    /// The most that is kept between two writes, in bytes: an agent may write faster than a store.
    package static let limit = 256 << 10

    private static let stepLimit = 50

    private let state = Mutex(State())
    let signal: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (signal, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func add(_ event: AgentRunEvent) {
        state.withLock { state in
            switch event {
            case .output(let text): state.add(text)
            case .step(let text): state.steps = state.steps.suffix(GatheredEvents.stepLimit - 1) + [text]
            case .usage(let total): state.usage = total
            case .refused(let reason) where state.refusals.count < 10: state.refusals.append(reason)
            case .refused: break
            }
        }
        continuation.yield()
    }

    package func take() -> State {
        state.withLock { state in
            defer { state = State() }
            return state
        }
    }
}
