import Dispatch
import Synchronization

/// Tells all replicas what has changed, many changes at a time. Not within the transactions that change it: those that notify are committed one after
/// another, each when it is on the disk.
final class PostgresNotifier: Sendable {
    private let queue = DispatchQueue(label: "so.postgresql.notify")
    private let connection: Mutex<PostgresConnection>
    private let changes = Mutex<Set<Int64>>([])

    init(_ address: PostgresAddress) throws(SQLError) {
        connection = Mutex(try PostgresConnection(address))
    }

    /// Returns at once.
    func tell(_ new: Set<Int64>) {
        guard !new.isEmpty else { return }
        let isFirst = changes.withLock { changes in
            defer { changes.formUnion(new) }
            return changes.isEmpty
        }
        if isFirst { queue.async { self.send() } }
    }

    /// While the server is away nobody else could look either; they hear it when it is back.
    private func send() {
        let taken = changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
        do {
            try connection.withLock { try Self.notify(taken, $0) }
        } catch {
            queue.asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in self?.tell(taken) }
        }
    }

    private static func notify(_ changes: Set<Int64>, _ connection: PostgresConnection) throws {
        let list = changes.sorted().map { "\($0)" }.joined(separator: ",")
        try connection.open()
        // What is told is kept on no disk, and need not be waited for.
        try connection.execute([
            PostgresStatement("SET synchronous_commit TO off"),
            PostgresStatement(
                "SELECT pg_notify('so_tasks', change) FROM unnest(string_to_array($1, ',')) AS change", [.text(list)]),
        ])
    }
}
