import FoundationEssentials

/// How one replica dispatches.
package struct DispatchSettings: Sendable {
    /// The replica's name: unique among all that share the store.
    package var owner: String
    /// The host whose sessions it reaches.
    package var host: String
    package var leaseSeconds = 30.0
    package var retries = RetryPolicy(attempts: 2)
    /// How many tasks this replica has in hand at once.
    package var capacity = 10
    /// The limits of now: they change with budgets.
    package var limits: @Sendable () async throws -> TaskLimits
    /// What a task's agent may spend from now on, in US dollars; nil: as much as it wants.
    package var budget: @Sendable (IssueTask) async throws -> Double? = { _ in nil }
    /// For the operator: what has no place in the store.
    package var log: @Sendable (String) -> Void = { _ in }

    package init(owner: String, host: String, limits: @escaping @Sendable () async throws -> TaskLimits) {
        self.owner = owner
        self.host = host
        self.limits = limits
    }

    func leaseEnd() -> Date { Date().addingTimeInterval(leaseSeconds) }
}
