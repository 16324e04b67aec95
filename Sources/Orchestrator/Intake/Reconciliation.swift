/// Finds what missed webhooks would have told: at start, and every 15 minutes.
package struct Reconciliation: Sendable {
    package let forge: any Forge
    package let intake: Intake

    package init(_ forge: any Forge, _ intake: Intake) {
        self.forge = forge
        self.intake = intake
    }

    /// What is to be done in a repository; all of it may be done already, and then changes nothing.
    ///
    /// - Parameter tasks: those of the repository that have not ended, and the ended ones of open issues.
    package func intents(in repository: RepositoryReference, tasks: [IssueTask]) async throws -> [Intent] {
        let open = try await forge.openIssues(label: intake.rules.label, in: repository)
        var intents: [Intent] = []
        let known = Set(tasks.map(\.issue.number))
        for issue in open where !known.contains(issue.reference.number) { intents += try await start(issue) }
        for task in tasks where [.cancelled, .done].contains(task.state) && task.details.labelling != nil {
            guard let issue = open.first(where: { $0.reference.number == task.issue.number }) else { continue }
            intents += try await start(issue, after: task.details.labelling)
        }
        let labelled = Set(open.map(\.reference.number))
        for task in tasks where !task.state.isEnded {
            intents += try await unlessGone(task, isLabelled: labelled.contains(task.issue.number))
        }
        return intents
    }

    /// An issue that was deleted or transferred cancels its own task, and keeps no other from being found.
    private func unlessGone(_ task: IssueTask, isLabelled: Bool) async throws -> [Intent] {
        do {
            return try await missed(task, isLabelled: isLabelled)
        } catch let error as OrchestratorError {
            guard error.code == .missing else { throw error }
            return [try await cancellation(of: task, "the issue or its pull request is gone")]
        }
    }

    private func cancellation(of task: IssueTask, _ reason: String) async throws -> Intent {
        Intent(
            .cancel(reason: reason), on: .issue(task.issue),
            by: ForgeUser(try await forge.ownLogin(), isBot: true), needs: nil)
    }

    /// - Parameter known: the setting of the label that was followed last.
    private func start(_ issue: ForgeIssue, after known: Int64? = nil) async throws -> [Intent] {
        // The label may have been set by somebody who may not start anything.
        guard let labelling = try await forge.labelling(of: intake.rules.label, on: issue.reference),
            labelling.id > known ?? 0
        else { return [] }
        let event = ForgeEvent(.labeled(issue, labels: [intake.rules.label]), sender: labelling.by)
        return intake.intents(of: event, forge: forge.kind).map { $0.following(labelling) }
    }

    private func missed(_ task: IssueTask, isLabelled: Bool) async throws -> [Intent] {
        let ends = isLabelled ? [] : try await ended(task)
        guard ends.isEmpty, let pull = task.details.pullRequest else { return ends }
        return try await missed(task, pull)
    }

    /// What a person asked for after an end is not ended by the same issue's being closed still, or having no label.
    private func ended(_ task: IssueTask) async throws -> [Intent] {
        let isFirst = task.details.rounds == 0 || task.state == .review
        guard isFirst, task.details.isRestarted != true else { return [] }
        let issue = try await forge.issue(task.issue)
        guard issue.isOpen else {
            return [try await cancellation(of: task, "the issue was closed")]
        }
        guard task.details.isLabelled == true, !issue.labels.contains(intake.rules.label) else { return [] }
        return [try await cancellation(of: task, "the label `\(intake.rules.label)` was removed")]
    }

    private func missed(_ task: IssueTask, _ pull: TaskPullRequest) async throws -> [Intent] {
        let repository = task.issue.repository
        let own = ForgeUser(try await forge.ownLogin(), isBot: true)
        let current = try await forge.pullRequest(pull.number, in: repository)
        guard current.isOpen else {
            // What is at work again after a close goes to another pull request.
            guard task.state == .review else { return [] }
            return intake.intents(of: ForgeEvent(.pullRequestClosed(current), sender: own), forge: forge.kind)
        }
        guard task.state == .review else { return [] }
        var intents: [Intent] = []
        for review in try await forge.reviews(of: pull.number, in: repository)
        where !task.details.reviews.contains(review.id) {
            intents += intake.intents(
                of: ForgeEvent(.reviewed(current, review), sender: review.author), forge: forge.kind)
        }
        var checks = try await forge.checks(of: pull.head, in: repository)
        checks.branches = [task.details.branch]
        if task.details.repairs[pull.head] == nil {
            intents += intake.intents(of: ForgeEvent(.checked(repository, checks), sender: own), forge: forge.kind)
        }
        return intents
    }
}
