package import FoundationEssentials

/// A change of a task that comes from outside: of a person or of the forge. Each leaves a task that does not allow it as it is, and says so in the
/// activity.
package struct TaskEffect: Hashable, Sendable {
    package enum Change: Hashable, Sendable {
        case create(NewTask)
        /// Ends a live task; its agent is stopped by whoever runs it.
        case cancel(Int64, reason: String)
        /// Restarts an ended task.
        case retry(Int64)
        /// The label was set again: restarts what its removal, or a merge, has ended, unless it was followed before.
        case relabelled(Int64, labelling: Int64)
        case use(Int64, agent: String)
        /// More to do; a task in review or ended goes back to the queue, one at work gets it next.
        case instruct(Int64, String)
        case followUp(Int64, review: Int64, text: String)
        case repair(Int64, commit: String, text: String)
        case merged(Int64)
        /// What it waited for is there.
        case unblock(Int64)
        /// One of the issues that it waited for is closed.
        case blockerClosed(Int64, issue: Int)
        case note(Int64?, String)
    }

    package var change: Change
    package var actor: String

    package init(_ change: Change, by actor: String) {
        self.change = change
        self.actor = actor
    }
}

/// Which tasks to list.
package struct TaskQuery: Hashable, Sendable {
    /// Empty: all.
    package var states: Set<TaskState> = []
    /// `owner/name`; nil: all.
    package var repository: String?
    /// Only those of these, by `owner/name`; nil: of all.
    package var repositories: [String]?
    package var agent: String?
    /// Only tasks with a smaller number: the next page.
    package var before: Int64?
    package var limit = 100

    package init(states: Set<TaskState> = [], repository: String? = nil, limit: Int = 100) {
        self.states = states
        self.repository = repository
        self.limit = limit
    }
}

/// What a replica can take.
package struct TaskClaim: Hashable, Sendable {
    /// The replica's name.
    package var owner: String
    /// The host whose sessions it can reach.
    package var host: String
    package var count: Int
    package var until: Date
    package var now: Date
    package var limits: TaskLimits
    /// Tasks that the replica has in hand: a lease that it renews late is not another replica's chance to take them from itself.
    package var inHand: Set<Int64>

    package init(
        owner: String, host: String, count: Int, until: Date, now: Date = Date(), limits: TaskLimits,
        inHand: Set<Int64> = []
    ) {
        self.owner = owner
        self.host = host
        self.count = count
        self.until = until
        self.now = now
        self.limits = limits
        self.inHand = inHand
    }
}

/// How many tasks may be active at once, over all replicas.
package struct TaskLimits: Hashable, Sendable {
    package var total: Int
    /// By `owner/name`, where there is one.
    package var repositories: [String: Int]
    /// By agent profile, where there is one.
    package var agents: [String: Int]
    /// Repositories whose tasks wait, e.g. since their budget is spent.
    package var paused: Set<String> = []

    package init(total: Int, repositories: [String: Int] = [:], agents: [String: Int] = [:]) {
        self.total = total
        self.repositories = repositories
        self.agents = agents
    }
}
