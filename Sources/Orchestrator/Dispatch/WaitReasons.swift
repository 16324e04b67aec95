import FoundationEssentials

/// Says to people what a queued task waits for.
struct WaitReasons: Sendable {
    let store: SQLStore
    let configuration: Configuration
    let host: String

    /// Nil: the task itself says it.
    func reason(_ task: IssueTask) async throws -> String? {
        guard task.state == .queued, task.notBefore == nil else { return nil }
        let name = task.issue.repository.name
        let isOwn = { (other: String) in other.lowercased() == name.lowercased() }
        if try await Budgets(store: store, configuration: configuration).spent().contains(where: isOwn) {
            return "The month's budget of \(name) is spent or reserved for running tasks."
        }
        if try await DiskAccounts.full(store, configuration, host: host).contains(where: isOwn) {
            return "\(name) has reached its disk limit."
        }
        return try await room(task, name) ?? "It begins as soon as a host has room for it."
    }

    private func room(_ task: IssueTask, _ name: String) async throws -> String? {
        let active = try await store.tasks(TaskQuery(states: TaskState.active, limit: 10_000))
        let limits = configuration.limits(paused: [])
        let ofProject = active.count { $0.issue.repository.name == name }
        if let most = configuration.project(name)?.maxParallel, ofProject >= most {
            return "\(ofProject) tasks of \(name) are running, which is the limit."
        }
        let ofAgent = active.count { $0.agent == task.agent }
        if let most = limits.agents[task.agent], ofAgent >= most {
            return "\(ofAgent) tasks of the agent \(task.agent) are running, which is the limit."
        }
        return active.count >= limits.total ? "\(active.count) tasks are running, which is the limit." : nil
    }
}
