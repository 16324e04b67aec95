/// What the body returns; nil where it has not come to its end within the time: it is cancelled then, and waited for.
package func withDeadline<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
    try await withThrowingTaskGroup(of: Raced<Value>.self) { group in
        group.addTask { .ended(try await body()) }
        group.addTask {
            try await Task.sleep(for: limit)
            return .timeOver
        }
        defer { group.cancelAll() }
        if case .ended(let value) = try await group.next() { return value }
        group.cancelAll()
        // It may have come to its end meanwhile.
        if case .ended(let value)? = try? await group.next() { return value }
        try Task.checkCancellation()
        return nil
    }
}

private enum Raced<Value: Sendable>: Sendable {
    case ended(Value)
    case timeOver
}

extension Command {
    /// Runs it to its end; nil where it has not come to its end within the time: it is ended then.
    package func result(within limit: Duration) async throws(CommandFailure) -> CommandOutput? {
        do {
            return try await withDeadline(limit) { try await result() }
        } catch {
            throw error as? CommandFailure ?? CommandFailure(.cancelled, command: description)
        }
    }
}
