package import ExternalTools

extension CommandFailure {
    /// Whether the program ran, and said no.
    var isExit: Bool {
        if case .exited = code { true } else { false }
    }
}

/// What an `async let` or a task group rethrows without its type.
func commandFailure(_ error: any Error) -> CommandFailure {
    error as? CommandFailure ?? CommandFailure(.cancelled, command: "")
}

/// Runs a command for each item, several at a time, and returns the answers in the items' order.
@discardableResult
package func withCommandGroup<Item: Sendable, Answer: Sendable>(
    _ items: [Item], limit: Int = 8, _ body: @escaping @Sendable (Item) async throws(CommandFailure) -> Answer
) async throws(CommandFailure) -> [Answer] {
    do {
        return try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            var answers: [Int: Answer] = [:]
            for (position, item) in items.enumerated() {
                if position >= limit, let (done, answer) = try await group.next() { answers[done] = answer }
                group.addTask { (position, try await body(item)) }
            }
            for try await (done, answer) in group { answers[done] = answer }
            return answers.sorted { $0.key < $1.key }.map(\.value)
        }
    } catch {
        throw commandFailure(error)
    }
}
