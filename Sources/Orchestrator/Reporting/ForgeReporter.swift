/// Reports to a forge: one progress comment per task, edited and not more often than every few seconds; the branch; the pull request; a closing comment.
package actor ForgeReporter: TaskReporter {
    let forge: any Forge
    let store: any TaskStore
    let policy: @Sendable (RepositoryReference) -> PushPolicy
    /// The address of a task's page; nil where there is none for people.
    let page: @Sendable (IssueTask) -> String?
    /// The least time between two edits of a comment.
    private let interval: Duration
    /// Seconds; longer than a request may take, so that none of another replica's is under way any more.
    let patience: Double
    private var pending: [Int64: Progress] = [:]
    private var told: [Int64: (text: String, fence: Int64)] = [:]
    private var busy: Set<Int64> = []

    package init(
        forge: any Forge, store: any TaskStore, interval: Duration = .seconds(3), patience: Double = 90,
        policy: @escaping @Sendable (RepositoryReference) -> PushPolicy = { _ in PushPolicy() },
        page: @escaping @Sendable (IssueTask) -> String? = { _ in nil }
    ) {
        self.forge = forge
        self.store = store
        self.interval = interval
        self.patience = patience
        self.policy = policy
        self.page = page
    }

    // MARK: Progress

    /// A task as it was, and what it waits for.
    private struct Progress {
        var task: IssueTask
        var reason: String?
    }

    package func progress(_ task: IssueTask) async throws { try await tell(Progress(task: task)) }

    package func wait(_ task: IssueTask, for reason: String?) async throws {
        try await tell(Progress(task: task, reason: reason))
    }

    private func tell(_ progress: Progress) async throws {
        let id = progress.task.id
        // What was seen before somebody took the task says nothing any more.
        guard progress.task.fence >= told[id]?.fence ?? 0 else { return }
        pending[id] = progress
        guard busy.insert(id).inserted else { return }
        defer { busy.remove(id) }
        while let latest = pending.removeValue(forKey: id) {
            guard try await tellNow(latest), pending[id] != nil else { continue }
            try await Task.sleep(for: interval)
        }
    }

    /// Whether there was anything new to tell.
    private func tellNow(_ progress: Progress) async throws -> Bool {
        let task = progress.task
        let text = ReportText.progress(task, waitsFor: progress.reason, page: page(task))
        // Another replica may have written something else since it had the task.
        guard told[task.id]?.text != text || told[task.id]?.fence != task.fence else { return false }
        let (id, isNew) = try await comment(
            "task-\(task.id)/progress", text, on: task.issue, task: task.id)
        if !isNew { try await edit(id, text, on: task.issue) }
        told[task.id] = task.state.isEnded ? nil : (text, task.fence)
        return true
    }

    /// A comment that somebody has deleted is not wanted.
    private func edit(_ id: Int64, _ text: String, on issue: IssueReference) async throws {
        do {
            try await forge.editComment(id, text, on: issue)
        } catch let error as OrchestratorError {
            guard error.code == .missing else { throw error }
        }
    }

    /// The comment of an act, made at most once: an act that was begun is looked up at the forge before it is repeated.
    private func comment(
        _ key: String, _ text: String, on issue: IssueReference, task: Int64
    ) async throws -> (id: Int64, isNew: Bool) {
        let forge = forge
        return try await once(key, task: task) {
            try await forge.findComment(marker: ReportMarker.text(key), on: issue)
        } act: {
            try await forge.createComment(text, on: issue)
        }
    }

    /// See ``OutgoingActs``.
    func once(
        _ key: String, task: Int64, find: @Sendable () async throws -> Int64?,
        act: @Sendable () async throws -> Int64
    ) async throws -> (id: Int64, isNew: Bool) {
        try await OutgoingActs(store: store, patience: patience).once(key, task: task, find: find, act: act)
    }

    package func close(_ task: IssueTask) async throws {
        try await progress(task)
        let key = ReportMarker.closing(task)
        _ = try await comment(key, ReportText.closing(task, page: page(task)), on: task.issue, task: task.id)
    }
}
