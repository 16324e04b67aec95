package import FoundationEssentials

/// The orchestrator's memory. Every function is one transaction; a crash between two of them loses nothing.
package protocol TaskStore: Sendable {
    // MARK: Deliveries

    /// Records a delivery, durably when it returns; false where the forge sent it before.
    func record(_ delivery: Delivery) async throws -> Bool
    /// Deliveries that wait to be handled, in the order of their arrival.
    func pendingDeliveries(limit: Int) async throws -> [Delivery]
    /// Writes what became of a delivery together with what it led to; nothing where it is no longer pending.
    func settle(_ delivery: Delivery, as outcome: Delivery.Outcome, reason: String?, effects: [TaskEffect]) async throws
    /// The delivery that brought the same body before: whoever has seen one can send it again under another id, since ids are not signed.
    func original(of delivery: Delivery) async throws -> String?
    /// The last deliveries, the newest first.
    func deliveries(limit: Int) async throws -> [Delivery]

    // MARK: Tasks

    /// Makes a task, unless its issue has one: then that one.
    func create(_ task: NewTask, by actor: String) async throws -> (task: IssueTask, isNew: Bool)
    /// - Throws: `OrchestratorError` (`missing`).
    func task(_ id: Int64) async throws -> IssueTask
    /// The task of an issue, the live one first; nil where there is none.
    func task(of target: IssueTarget, forge: ForgeKind) async throws -> IssueTask?
    func tasks(_ query: TaskQuery) async throws -> [IssueTask]
    /// Applies a person's command, or an event's.
    func apply(_ effect: TaskEffect) async throws

    // MARK: Leases

    /// Takes up to a number of tasks that may be worked on now, and those whose lease has ended.
    func claim(_ request: TaskClaim) async throws -> [IssueTask]
    /// - Throws: `OrchestratorError` (`conflict`) where another has the task now, or it was cancelled.
    func renew(_ task: IssueTask, until: Date) async throws
    /// Moves a task on and writes what comes with it; `until` nil gives the lease up. `change` sees the details as they are now, e.g. with instructions
    /// that came meanwhile; where some are left, a review is another round instead, and the activity says so.
    ///
    /// - Throws: `OrchestratorError` (`conflict`) where the task's lease is not the caller's any more.
    func advance(
        _ task: IssueTask, to state: TaskState, until: Date?, notBefore: Date?, with step: TaskStep,
        change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask
    /// The same without a transition, for what is found out on the way.
    func update(
        _ task: IssueTask, with step: TaskStep, change: @escaping @Sendable (inout TaskDetails) -> Void
    ) async throws -> IssueTask
    /// Changes the details of a task that nobody has a lease of, or whoever has it: for what is told about an ended one.
    func amend(_ id: Int64, change: @escaping @Sendable (inout TaskDetails) -> Void) async throws -> IssueTask

    // MARK: What is told and used

    func append(_ activity: Activity) async throws
    /// The activity behind a number, the oldest first; of all tasks where none is named.
    func activity(of task: Int64?, after id: Int64, limit: Int) async throws -> [Activity]
    /// Takes an act in hand, where it was not done and nobody else has it in hand since less than `patience` seconds.
    func begin(act key: String, task: Int64, patience: Double) async throws -> OutgoingAct
    func finish(act key: String, result: String) async throws
    /// The same, unless the task was taken away from whoever does it: then it throws a conflict, and what the next one wrote stands.
    func finish(act key: String, result: String, of task: IssueTask) async throws
    /// Lets an act go that was certainly not done.
    func release(act key: String) async throws
    /// Counts what a session of a task has used in all, and its share of the project's month; what was counted before is not counted again.
    func count(_ total: TaskUsage, in session: String, of task: IssueTask) async throws
    /// Keeps back from a project's budget what a task may spend: what it wants, or what is left. Nil: too little is left.
    func grant(_ wanted: Double?, to task: IssueTask, of budget: Double, since: Date) async throws -> Double?
    /// What a repository has used since a moment.
    func usage(of repository: RepositoryReference?, since: Date) async throws -> TaskUsage

    /// Tasks that changed, as long as somebody listens; on PostgreSQL those of other replicas too.
    func changes() async throws -> AsyncStream<Int64>
    /// The same of one task alone.
    func changes(of task: Int64) async throws -> AsyncStream<Int64>
    /// Whether the store answers.
    func check() async throws
}
