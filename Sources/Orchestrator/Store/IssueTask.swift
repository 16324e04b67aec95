package import FoundationEssentials

/// How far a task has come.
package enum TaskState: String, Hashable, Sendable, Codable, CaseIterable {
    /// Its issue was understood; limits and dependencies are not looked at yet.
    case received
    case queued
    /// A replica makes its workspace.
    case preparing
    /// Its agent is at work.
    case working
    /// The agent's work is brought to the forge.
    case reporting
    /// Its pull request waits for people.
    case review
    case done
    /// It could not be done, for a reason that a repetition does not change.
    case failed
    /// It was tried as often as it may be; a person has to look.
    case escalated
    case cancelled
    /// It waits for another issue, a credential or a budget.
    case blocked

    /// A replica holds its lease in these.
    package static let active: Set<TaskState> = [.preparing, .working, .reporting]
    /// Nothing happens any more but by a person.
    package static let ended: Set<TaskState> = [.done, .failed, .escalated, .cancelled]
    package var isActive: Bool { Self.active.contains(self) }
    package var isEnded: Bool { Self.ended.contains(self) }
}

/// One issue's work, from its label to its pull request. At most one is live per issue.
package struct IssueTask: Hashable, Sendable, Codable {
    package var id: Int64
    package var forge: ForgeKind
    package var issue: IssueReference
    package var state: TaskState
    /// Higher goes first.
    package var priority: Int
    /// The agent profile of the configuration.
    package var agent: String
    /// Not before this moment: a retry that waits.
    package var notBefore: Date?
    package var details: TaskDetails
    /// Who works on it now.
    package var lease: TaskLease?
    /// Grows with every claim, and with whatever ends a lease from outside.
    package var fence: Int64 = 0
    package var createdAt: Date
    package var updatedAt: Date

    package init(
        id: Int64, forge: ForgeKind, issue: IssueReference, state: TaskState, priority: Int, agent: String,
        notBefore: Date? = nil, details: TaskDetails, lease: TaskLease? = nil, createdAt: Date, updatedAt: Date
    ) {
        self.id = id
        self.forge = forge
        self.issue = issue
        self.state = state
        self.priority = priority
        self.agent = agent
        self.notBefore = notBefore
        self.details = details
        self.lease = lease
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// Who works on a task. What carries an older fence is refused by the store.
package struct TaskLease: Hashable, Sendable, Codable {
    /// The replica.
    package var owner: String
    package var until: Date
    /// Grows by one with every claim.
    package var fence: Int64

    package init(owner: String, until: Date, fence: Int64) {
        self.owner = owner
        self.until = until
        self.fence = fence
    }
}
