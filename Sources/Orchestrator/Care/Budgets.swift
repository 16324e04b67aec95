package import FoundationEssentials

/// Keeps to what tasks and projects may spend: nothing begins that could pass a budget, and the egress of what has begun refuses what would.
package struct Budgets: Sendable {
    private let store: SQLStore
    private let configuration: Configuration

    package init(store: SQLStore, configuration: Configuration) {
        self.store = store
        self.configuration = configuration
    }

    /// The repositories whose month's budget is spent, or kept back for what is at work: their tasks wait.
    package func spent(now: Date = Date()) async throws -> Set<String> {
        let budgets = configuration.projects.filter { $0.budget != nil }
        guard !budgets.isEmpty else { return [] }
        let known = try await store.projects()
        var spent: Set<String> = []
        for project in budgets {
            guard let budget = project.budget,
                let repository = known.first(where: { $0.name.lowercased() == project.repository.lowercased() })
            else { continue }
            // An agent that could spend more than the whole month is granted what there is.
            let next = min(configuration.agent(project.agent).budget ?? 0.01, budget)
            let used = try await store.usage(of: repository, since: .monthStart(now)).cost
            if try await used + store.reserved(in: repository) + next > budget { spent.insert(repository.name) }
        }
        return spent
    }

    /// What a task's agent may spend from now on, in US dollars, kept back from the project's budget; nil: as much as it wants.
    ///
    /// - Throws: ``TaskFailure`` (`budget`) where nothing is left.
    package func grant(to task: IssueTask, now: Date = Date()) async throws -> Double? {
        let own = try remaining(of: task)
        let name = task.issue.repository.name
        guard let budget = configuration.project(name)?.budget else { return own }
        guard let granted = try await store.grant(own, to: task, of: budget, since: .monthStart(now)) else {
            throw TaskFailure(
                .budget, "the month's budget of \(name), \(ReportText.dollars(budget)), is spent or kept back")
        }
        return granted
    }

    /// Whether a task that waits for a budget may go on.
    package func allows(_ task: IssueTask) async throws -> Bool {
        guard (try? remaining(of: task)) != nil else { return false }
        return try await !spent().contains(task.issue.repository.name)
    }

    private func remaining(of task: IssueTask) throws(TaskFailure) -> Double? {
        guard let budget = configuration.agent(task.agent).budget else { return nil }
        let left = budget - task.details.usage.cost
        guard left >= 0.01 else {
            throw TaskFailure(
                .budget,
                "the budget of the task, \(ReportText.dollars(budget)), is spent: raise budget-usd of \(task.agent)")
        }
        return left
    }
}
