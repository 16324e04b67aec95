/// A task before the store gave it a number.
package struct NewTask: Hashable, Sendable {
    package var forge: ForgeKind
    package var issue: IssueReference
    /// One task per issue and intent, ever; one live per issue.
    package var intent = "implement"
    package var agent: String
    package var priority: Int
    package var details: TaskDetails

    package init(
        forge: ForgeKind, issue: IssueReference, agent: String, priority: Int = 0, details: TaskDetails
    ) {
        self.forge = forge
        self.issue = issue
        self.agent = agent
        self.priority = priority
        self.details = details
    }
}

/// What is known of a task beside what the queue needs. Everything of the issue is a snapshot, cleaned, taken when it was triggered.
package struct TaskDetails: Hashable, Sendable, Codable {
    package var title: String
    package var body: String
    package var issueURL: String = ""
    /// Who triggered it.
    package var requestedBy: String
    package var acceptanceCriteria: [String] = []
    package var relatedFiles: [String] = []
    /// Issues of the same repository that have to be closed first.
    package var blockedBy: [Int] = []
    /// Said after the first instruction and not handed to an agent yet, the oldest first.
    package var instructions: [String] = []
    /// How many of the instructions the agent at work was given.
    package var handed = 0
    /// How often it came to an end, or to a review, before.
    package var rounds = 0
    /// How often the instruction at hand was put off for a provider or the forge.
    package var delays = 0
    package var branch: String
    /// The session of `Workspaces` that holds its checkout, on the host that ``host`` names.
    package var session: String?
    /// The host whose replicas alone can reach the session; nil where any can.
    package var host: String?
    package var pullRequest: TaskPullRequest?
    package var progressComment: Int64?
    /// How often an agent was started for the instruction at hand.
    package var attempts = 0
    /// Reviews that were followed up.
    package var reviews: [Int64] = []
    /// How many repairs each commit had.
    package var repairs: [String: Int] = [:]
    /// The last piece of output before the run at hand.
    package var outputMark: Int64 = 0
    /// What the agent said last.
    package var currentStep: String?
    /// What it said when it ended.
    package var summary: String?
    /// What it tested its work with.
    package var tests: [String] = []
    package var failure: TaskFailure?
    package var usage = TaskUsage()
    /// What of ``usage`` was used by each session.
    package var sessionUsage: [String: TaskUsage] = [:]
    /// What ``usage`` may cost before the run at hand has to end, in US dollars; kept back from the project's budget.
    package var grantedCost: Double?

    /// The next run begins from the default branch, in another session: what the last one held was merged.
    package var beginsAnew: Bool?
    /// The agent has ended: what is left to do is to bring its work to the forge.
    package var awaitsReport: Bool?
    /// It was begun by its label, whose removal ends it.
    package var isLabelled: Bool?
    /// The last setting of the label that was followed, by the forge's own number: an older one that is told again asks for nothing.
    package var labelling: Int64?
    /// Somebody has begun it again after an end: what the issue's state says is older than that.
    package var isRestarted: Bool?

    package init(title: String, body: String, requestedBy: String, branch: String) {
        self.title = title
        self.body = body
        self.requestedBy = requestedBy
        self.branch = branch
    }

    /// Leaves a merged pull request behind: what follows goes to another one.
    mutating func beginAnew() {
        guard let merged = pullRequest else { return }
        branch = IssueContents.branch(branch, after: merged.number)
        pullRequest = nil
        (beginsAnew, awaitsReport) = (true, nil)
    }
}

/// The pull request of a task.
package struct TaskPullRequest: Hashable, Sendable, Codable {
    package var number: Int
    package var url: String
    /// The commit that was pushed last.
    package var head: String
    /// The branch that it brings; nil: the task's.
    package var branch: String?
    /// What its commits do to other issues when it is merged; nil: nothing.
    package var effects: [ForeignEffect]?

    package init(
        number: Int, url: String, head: String, branch: String? = nil, effects: [ForeignEffect]? = nil
    ) {
        self.number = number
        self.url = url
        self.head = head
        self.branch = branch
        self.effects = effects
    }
}

/// Why a task's last attempt failed; the kind says whether it is repeated.
package struct TaskFailure: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The model's provider answered 429 or 5xx: later.
        case provider
        /// The agent failed: once more, with the failure in its prompt.
        case agent
        /// The workspace could not be made: never.
        case setup
        /// The forge could not be reached or refused for a while: later.
        case forge
        /// The work could not be brought out of its workspace for a while: later.
        case workspace
        /// The work may not be published, e.g. it touches a protected path: never.
        case refused
        /// A credential is missing: when it was entered.
        case credential
        /// The budget is spent: by a person.
        case budget
    }

    package var kind: Kind
    package var message: String
    /// The last lines of what the agent wrote, redacted.
    package var lastLines: [String]

    package init(_ kind: Kind, _ message: String, lastLines: [String] = []) {
        self.kind = kind
        self.message = message
        self.lastLines = lastLines
    }
}

/// What a task has used.
package struct TaskUsage: Hashable, Sendable, Codable {
    package var inputTokens = 0
    package var outputTokens = 0
    /// US dollars.
    package var cost = 0.0

    package init(inputTokens: Int = 0, outputTokens: Int = 0, cost: Double = 0) {
        self.inputTokens = inputTokens
        self.outputTokens = outputTokens
        self.cost = cost
    }

    package static func - (one: TaskUsage, other: TaskUsage) -> TaskUsage {
        TaskUsage(
            inputTokens: one.inputTokens - other.inputTokens, outputTokens: one.outputTokens - other.outputTokens,
            cost: one.cost - other.cost)
    }

    package static func + (one: TaskUsage, other: TaskUsage) -> TaskUsage {
        TaskUsage(
            inputTokens: one.inputTokens + other.inputTokens, outputTokens: one.outputTokens + other.outputTokens,
            cost: one.cost + other.cost)
    }
}
