import AgentLoop
package import YAML

/// How one task ended.
package struct TaskResult: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        case succeeded
        case failed
        /// It wrote nothing for too long.
        case timedOut = "timed-out"
        /// Another one failed before it could begin.
        case skipped
    }

    package var id: String
    package var name: String
    package var state: State
    /// Of the last attempt; nil where it did not run, or was ended.
    package var exitCode: Int?
    package var attempts = 0
    package var seconds = 0.0
    /// The end of what it wrote in its last attempt, both streams as they came.
    package var output = ""
    /// What an agent says of how it ended.
    package var message: String?

    package init(_ task: AgentTask, _ state: State) {
        (id, name, self.state) = (task.id, task.name, state)
    }

    package var isFailure: Bool { state == .failed || state == .timedOut }

    package var node: Node {
        .map([
            ("id", .string(id)), ("name", .string(name)), ("state", .string(state.rawValue)),
            ("exit-code", exitCode.map { .plain("\($0)") } ?? .plain("null")), ("attempts", .plain("\(attempts)")),
            ("seconds", .plain("\((seconds * 10).rounded() / 10)")),
            ("message", message.map { .string($0) } ?? .plain("null")), ("output", .string(output)),
        ])
    }
}

/// What happens while tasks run: for progress only.
package enum TaskEvent: Sendable {
    case started(AgentTask, attempt: Int)
    case output(AgentTask, [UInt8])
    case ended(TaskResult)
}
