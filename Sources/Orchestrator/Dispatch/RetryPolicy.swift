package import FoundationEssentials

/// What becomes of a task whose attempt failed.
package struct RetryPolicy: Hashable, Sendable {
    /// How often an agent is started for one instruction.
    package var attempts: Int
    /// How often one instruction is put off.
    package var delays = 8
    /// Seconds; each delay is twice the one before.
    package var firstDelay = 30.0

    package init(attempts: Int) { self.attempts = attempts }

    package struct Decision: Hashable, Sendable {
        package var state: TaskState
        package var notBefore: Date?
        package var message: String
    }

    /// The kind of the failure decides, never its words.
    package func decide(_ failure: TaskFailure, _ details: TaskDetails, now: Date) -> Decision {
        switch failure.kind {
        case .provider, .forge, .workspace: return later(failure, details, now)
        case .agent where details.attempts < attempts:
            return Decision(state: .queued, message: "once more: \(failure.message)")
        case .agent: return Decision(state: .escalated, message: failure.message)
        case .setup, .refused: return Decision(state: .failed, message: failure.message)
        case .credential, .budget: return Decision(state: .blocked, message: failure.message)
        }
    }

    private func later(_ failure: TaskFailure, _ details: TaskDetails, _ now: Date) -> Decision {
        guard details.delays < delays else { return Decision(state: .escalated, message: failure.message) }
        let seconds = min(firstDelay * Double(1 << details.delays), 3600)
        return Decision(
            state: .queued, notBefore: now.addingTimeInterval(seconds),
            message: "again in \(Int(seconds)) s: \(failure.message)")
    }
}
