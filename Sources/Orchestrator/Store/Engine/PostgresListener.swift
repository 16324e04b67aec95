import Dispatch
import Synchronization

/// Hears what other replicas change, by `LISTEN`. Reads when the socket has something, and reconnects when the server goes away.
final class PostgresListener: Sendable {
    private struct State {
        var connection: PostgresConnection
        var source: (any DispatchSourceRead)?
        var isStarted = false
    }

    private let hub = ChangeHub()
    private let queue = DispatchQueue(label: "so.postgresql.listen")
    private let state: Mutex<State>

    init(_ address: PostgresAddress) throws(SQLError) {
        state = Mutex(State(connection: try PostgresConnection(address)))
    }

    deinit { state.withLock { $0.source?.cancel() } }

    /// Connects at the first call; returns when the server has been told to notify.
    func changes(of task: Int64?) async throws -> AsyncStream<Int64> {
        let stream = task.map { hub.stream(of: $0) } ?? hub.stream()
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            queue.async { continuation.resume(with: Result { try self.startOnce() }) }
        }
        return stream
    }

    private func startOnce() throws {
        guard state.withLock({ !$0.isStarted }) else { return }
        try listen()
        state.withLock { $0.isStarted = true }
    }

    private func listen() throws {
        try state.withLock { state in
            try state.connection.open()
            try state.connection.execute(PostgresStatement("LISTEN so_tasks"))
            let source = DispatchSource.makeReadSource(fileDescriptor: state.connection.socket, queue: queue)
            source.setEventHandler { [weak self] in self?.readNotifications() }
            // Only now may the socket be closed: its number could become another's while the source still watches it.
            source.setCancelHandler { [weak self] in self?.reconnect() }
            source.activate()
            state.source = source
        }
        readNotifications()
    }

    private func readNotifications() {
        let heard: [String]? = state.withLock { $0.connection.notifications() }
        guard let payloads = heard else {
            state.withLock { state in state.source?.cancel() }
            return
        }
        hub.announce(payloads.compactMap { Int64($0) })
    }

    /// What was notified meanwhile is lost: everybody has to look.
    private func reconnect() {
        do {
            try listen()
            hub.announce([StoreChange.unknown])
        } catch {
            queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.reconnect() }
        }
    }
}
