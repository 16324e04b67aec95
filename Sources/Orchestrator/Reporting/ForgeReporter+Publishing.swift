extension ForgeReporter {
    package func publish(_ task: IssueTask, _ work: CollectedWork) async throws -> TaskPullRequest {
        do {
            return try await push(task, work)
        } catch let error as OrchestratorError where error.code != .conflict {
            throw TaskFailure(error.code == .notPermitted ? .refused : .forge, error.description)
        }
    }

    private func push(_ task: IssueTask, _ work: CollectedWork) async throws -> TaskPullRequest {
        try await policy(task.issue.repository).check(work)
        let effects = try await ForeignEffect.all(in: work, of: task)
        var task = task
        try await leaveClosed(&task.details, in: task.issue.repository)
        // What was pushed last is the task's own, also where its pull request could not be opened, or the task was never told of it.
        let act = "task-\(task.id)/branch\(IssueContents.generation(of: task.details.branch))"
        let pushed = try await store.begin(act: act, task: task.id, patience: 0).result
        let begun = try await begin(act, work.commit, task)
        try await forge.push(
            BranchPush(
                repository: task.issue.repository, gitDirectory: work.gitDirectory, host: work.host,
                branch: task.details.branch, commit: work.commit, expected: pushed ?? task.details.pullRequest?.head,
                begun: begun))
        try await store.finish(act: act, result: work.commit, of: task)
        try await store.finish(act: "\(act)/begun", result: "", of: task)
        let pull = try await pullRequest(of: task, effects)
        return TaskPullRequest(
            number: pull.number, url: pull.url, head: work.commit, branch: task.details.branch,
            effects: effects.isEmpty ? nil : effects)
    }

    /// Writes down what is about to be pushed; returns what was before, and may have arrived although nobody was told.
    private func begin(_ act: String, _ commit: String, _ task: IssueTask) async throws -> [String] {
        let act = "\(act)/begun"
        let known = try await store.begin(act: act, task: task.id, patience: 0).result ?? ""
        let begun = known.split(separator: " ").map(String.init)
        // However often it is cut short: each of these may be what the branch stands at.
        if !begun.contains(commit) {
            try await store.finish(act: act, result: (begun + [commit]).joined(separator: " "), of: task)
        }
        return begun
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

    private func pullRequest(of task: IssueTask, _ effects: [ForeignEffect]) async throws -> ForgePullRequest {
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
                        body: ReportText.pullRequestBody(task, effects, page: page(task)), head: task.details.branch,
                        base: base)
                ).number)
        }
        return try await forge.pullRequest(Int(number), in: repository)
    }
}
