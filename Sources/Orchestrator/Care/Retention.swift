package import FoundationEssentials

/// Keeps the store from growing without end.
struct Retention: Sendable {
    let store: SQLStore
    let log: @Sendable (String) -> Void

    private static let day = 86_400.0

    func run() async throws {
        while true {
            do {
                try await store.forget(
                    bodiesBefore: Date().addingTimeInterval(-30 * Self.day),
                    activityBefore: Date().addingTimeInterval(-365 * Self.day))
            } catch  where !(error is CancellationError) {
                log("old records could not be deleted: \(error)")
            }
            try await Task.sleep(for: .seconds(3600))
        }
    }
}

extension SQLStore {
    /// Forgets what deliveries said that were handled, and activity of tasks that have ended. That a delivery came is never forgotten: one that is
    /// sent again leads to nothing, however old it is.
    package func forget(bodiesBefore deliveries: Date, activityBefore activity: Date) async throws {
        let ended = TaskState.ended.map { SQLValue.text($0.rawValue) }
        try await write { connection in
            try connection.query(
                """
                UPDATE deliveries SET body = ? WHERE received_at < ? AND outcome IN ('handled', 'ignored')
                    AND LENGTH(body) > 0
                """, [.blob([]), SQLValue(deliveries)])
            try connection.query(
                """
                DELETE FROM activity WHERE at < ? AND (task IS NULL OR task IN
                    (SELECT id FROM tasks WHERE state IN (\(placeholders(ended.count)))))
                """, [SQLValue(activity)] + ended)
        }
    }
}
