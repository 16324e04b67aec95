import FoundationEssentials

/// Finds at start and every 15 minutes what no webhook has told.
package struct Reconciler: Sendable {
    private let store: SQLStore
    private let forge: any Forge
    private let resolver: DeliveryResolver
    private let projects: [String]
    private let rules: @Sendable (RepositoryReference) -> IntakeRules?
    private let budgets: Budgets
    private let log: @Sendable (String) -> Void

    package init(
        store: SQLStore, forge: any Forge, resolver: DeliveryResolver, projects: [String],
        rules: @escaping @Sendable (RepositoryReference) -> IntakeRules?, budgets: Budgets,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.store = store
        self.forge = forge
        self.resolver = resolver
        self.projects = projects
        self.rules = rules
        self.budgets = budgets
        self.log = log
    }

    package func run() async throws {
        while true {
            var isDone = true
            for project in projects {
                do {
                    isDone = try await reconcile(project) && isDone
                } catch  where !(error is CancellationError) {
                    log("\(project) cannot be reconciled: \(error)")
                }
            }
            // What another replica began a moment ago may have been cut short with it.
            try await Task.sleep(for: .seconds(isDone ? 900 : 61))
        }
    }

    /// False where another replica has just begun it.
    @discardableResult
    package func reconcile(_ project: String) async throws -> Bool {
        let repository = try await forge.repository(project)
        try await store.remember(repository, forge: forge.kind)
        guard let rules = rules(repository), try await store.beginReconciliation(of: repository, olderThan: 60) else {
            return false
        }
        let tasks = try await store.tasks(TaskQuery(repository: repository.name, limit: 1000))
        let intents = try await Reconciliation(forge, Intake(rules)).intents(in: repository, tasks: tasks)
        for effect in try await resolver.effects(of: intents, rules, act: "reconciliation") {
            try await store.apply(effect)
        }
        for task in tasks where task.state == .blocked {
            do {
                if try await isFree(task) { try await store.apply(TaskEffect(.unblock(task.id), by: "so")) }
            } catch let error as OrchestratorError where error.code == .missing {
                log("task \(task.id) stays blocked: \(error)")
            }
        }
        return true
    }

    private func isFree(_ task: IssueTask) async throws -> Bool {
        guard task.details.failure?.kind != .budget else { return try await budgets.allows(task) }
        // A credential is waited for until somebody enters it.
        guard !task.details.blockedBy.isEmpty else { return false }
        for number in task.details.blockedBy {
            let blocker = IssueReference(task.issue.repository, number: number)
            if try await forge.issue(blocker).isOpen { return false }
        }
        return true
    }
}
