import Runtimes

/// Runs a start that has to be over after a time; without one it may take as long as it comes further.
///
/// - Throws: ``DeploymentError`` (`failed`) when the time has passed: the start is cancelled, and what runs stays.
package func within(
    seconds: Int?, _ start: @escaping @Sendable () async throws -> Void
) async throws {
    guard let seconds else { return try await start() }
    let isOver = try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
            try await start()
            return false
        }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            return true
        }
        defer { group.cancelAll() }
        guard try await group.next() == true else { return false }
        group.cancelAll()
        // It may have come to its end meanwhile.
        do {
            _ = try await group.next()
            return false
        } catch {
            return true
        }
    }
    guard isOver else { return }
    throw DeploymentError(
        .failed, "not everything is ready after \(seconds) s: what runs stays",
        hint: "so status shows what is not ready; a longer --wait-timeout waits for it")
}
