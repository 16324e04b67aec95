/// Reports to a forge: one progress comment per task, edited and not more often than every few seconds; the branch; the pull request; a closing comment.
package actor ForgeReporter: TaskReporter {
    private let forge: any Forge
    private let store: any TaskStore
    private let policy: @Sendable (RepositoryReference) -> PushPolicy
    /// The address of a task's page; nil where there is none for people.
    private let page: @Sendable (IssueTask) -> String?
    /// The least time between two edits of a comment.
    private let interval: Duration
    /// Seconds; longer than a request may take, so that none of another replica's is under way any more.
    private let patience: Double
    private var pending: [Int64: IssueTask] = [:]
    private var told: [Int64: String] = [:]
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

    package func progress(_ task: IssueTask) async throws {
        pending[task.id] = task
        guard busy.insert(task.id).inserted else { return }
        defer { busy.remove(task.id) }
        while let latest = pending.removeValue(forKey: task.id) {
            guard try await tell(latest), pending[task.id] != nil else { continue }
            try await Task.sleep(for: interval)
        }
    }

    /// Whether there was anything new to tell.
    private func tell(_ task: IssueTask) async throws -> Bool {
        let text = ReportText.progress(task, page: page(task))
        guard told[task.id] != text else { return false }
        let (id, isNew) = try await comment(
            "task-\(task.id)/progress", text, on: task.issue, task: task.id)
        if !isNew { try await forge.editComment(id, text, on: task.issue) }
        told[task.id] = task.state.isEnded ? nil : text
        return true
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

    /// Does something at the forge at most once over all replicas. What another one has in hand is waited for; what one was killed over is looked
    /// up, and repeated only when no request of its can be under way any more.
    private func once(
        _ key: String, task: Int64, find: @Sendable () async throws -> Int64?,
        act: @Sendable () async throws -> Int64
    ) async throws -> (id: Int64, isNew: Bool) {
        while true {
            let begun = try await store.begin(act: key, task: task, patience: patience)
            if let id = begun.result.flatMap({ Int64($0) }) { return (id, false) }
            if let found = try await find() {
                try await store.finish(act: key, result: "\(found)")
                return (found, false)
            }
            if begun.isHeld { return (try await perform(key, act), true) }
            try await Task.sleep(for: .seconds(1))
        }
    }

    private func perform(_ key: String, _ act: () async throws -> Int64) async throws -> Int64 {
        let made: Int64
        do {
            made = try await act()
        } catch let error as OrchestratorError where error.code != .unavailable {
            // The forge has answered: it was not done.
            try await store.release(act: key)
            throw error
        }
        try await store.finish(act: key, result: "\(made)")
        return made
    }

    // MARK: Publishing

    package func publish(_ task: IssueTask, _ work: CollectedWork) async throws -> TaskPullRequest {
        do {
            return try await push(task, work)
        } catch let error as OrchestratorError {
            throw TaskFailure(error.code == .notPermitted ? .refused : .forge, error.description)
        }
    }

    private func push(_ task: IssueTask, _ work: CollectedWork) async throws -> TaskPullRequest {
        try await policy(task.issue.repository).check(work)
        var task = task
        try await leaveClosed(&task.details, in: task.issue.repository)
        // Where the pull request could not be opened after a push, what stands at the branch is still the task's own.
        let act = "task-\(task.id)/branch\(IssueContents.generation(of: task.details.branch))"
        let pushed = try await store.begin(act: act, task: task.id, patience: 0).result
        try await forge.push(
            BranchPush(
                repository: task.issue.repository, gitDirectory: work.gitDirectory, branch: task.details.branch,
                commit: work.commit, expected: task.details.pullRequest?.head ?? pushed))
        try await store.finish(act: act, result: work.commit)
        let pull = try await pullRequest(of: task)
        return TaskPullRequest(number: pull.number, url: pull.url, head: work.commit, branch: task.details.branch)
    }

    /// Nobody looks at a closed pull request any more: the work goes to another one, by another branch.
    private func leaveClosed(_ details: inout TaskDetails, in repository: RepositoryReference) async throws {
        guard let known = details.pullRequest else { return }
        do {
            guard try await !forge.pullRequest(known.number, in: repository).isOpen else { return }
        } catch let error as OrchestratorError {
            // GitLab removes merge requests for good.
            guard error.code == .missing else { throw error }
        }
        details.branch = IssueContents.branch(details.branch, after: known.number)
        details.pullRequest = nil
    }

    private func pullRequest(of task: IssueTask) async throws -> ForgePullRequest {
        let repository = task.issue.repository
        if let known = task.details.pullRequest { return try await forge.pullRequest(known.number, in: repository) }
        let forge = forge
        let act = "task-\(task.id)/pull-request\(IssueContents.generation(of: task.details.branch))"
        let (number, _) = try await once(act, task: task.id) {
            let found = try await forge.findPullRequest(head: task.details.branch, in: repository)
            return found.flatMap { $0.isOpen ? Int64($0.number) : nil }
        } act: { [page] in
            let base = try await forge.defaultBranch(of: repository)
            return Int64(
                try await forge.openPullRequest(
                    NewPullRequest(
                        repository: repository, title: ReportText.pullRequestTitle(task),
                        body: ReportText.pullRequestBody(task, page: page(task)), head: task.details.branch, base: base)
                ).number)
        }
        return try await forge.pullRequest(Int(number), in: repository)
    }

    package func close(_ task: IssueTask) async throws {
        try await progress(task)
        let key = ReportMarker.closing(task)
        _ = try await comment(key, ReportText.closing(task, page: page(task)), on: task.issue, task: task.id)
    }
}
