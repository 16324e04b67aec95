/// Decides what an event asks for: a pure function, from event to intents. Whether the sender may is asked before they are followed.
package struct Intake: Hashable, Sendable {
    package var rules: IntakeRules

    package init(_ rules: IntakeRules) { self.rules = rules }

    /// Never anything for an event of a bot, but for checks, which only bots report. What the orchestrator says itself carries a mark: its token may be
    /// that of a person who goes on working.
    package func intents(of event: ForgeEvent, forge: ForgeKind) -> [Intent] {
        switch event.content {
        case .checked(let repository, let checks): return repairs(repository, checks, event.sender)
        case .pullRequestClosed(let pull): return ended(pull, event.sender)
        case .closed(let issue):
            let reason = "the issue was closed by \(event.sender.login)"
            return [Intent(.cancel(reason: reason), on: .issue(issue.reference), by: event.sender, needs: nil)]
        case .gone(let issue):
            let reason = "the issue was deleted or moved by \(event.sender.login)"
            return [Intent(.cancel(reason: reason), on: .issue(issue.reference), by: event.sender, needs: nil)]
        case .unlabeled(let issue, let labels) where labels.contains(rules.label):
            let reason = "the label `\(rules.label)` was removed by \(event.sender.login)"
            return [Intent(.cancel(reason: reason), on: .issue(issue.reference), by: event.sender, needs: nil)]
        default: break
        }
        guard !event.sender.isBot else { return [] }
        switch event.content {
        case .labeled(let issue, let labels): return labelled(issue, labels, event.sender, forge)
        case .commented(let issue, let comment, _, let isPullRequest):
            return commented(issue, comment, isPullRequest, event.sender, forge)
        case .reviewed(let pull, let review): return followUps(pull, review, event.sender)
        default: return []
        }
    }

    private func labelled(_ issue: ForgeIssue, _ labels: [String], _ sender: ForgeUser, _ forge: ForgeKind) -> [Intent]
    {
        guard labels.contains(rules.label), issue.isOpen else { return [] }
        var task = task(for: issue, by: sender, forge: forge)
        task.details.isLabelled = true
        return [Intent(.start(task), on: .issue(issue.reference), by: sender)]
    }

    private func commented(
        _ issue: ForgeIssue, _ comment: String, _ isPullRequest: Bool, _ sender: ForgeUser, _ forge: ForgeKind
    ) -> [Intent] {
        // Most comments are for others: nothing of them is looked at further.
        guard IssueText.mentions(rules.names, comment), !ReportMarker.isOwn(comment),
            let command = IssueCommand(IssueText(comment).text, names: rules.names)
        else { return [] }
        let reference = issue.reference
        let target: IssueTarget =
            isPullRequest ? .pullRequest(reference.repository, reference.number) : .issue(reference)
        func intent(_ action: Intent.Action) -> [Intent] { [Intent(action, on: target, by: sender)] }
        switch command {
        case .stop: return intent(.stop)
        case .retry: return intent(.retry)
        case .status: return intent(.status)
        case .use(let agent): return intent(.use(agent: agent))
        case .instruct(let text):
            guard !isPullRequest, issue.isOpen else { return intent(.instruct(text)) }
            // The first word about an issue begins its task; later ones go on with it.
            let task = task(for: issue, by: sender, forge: forge)
            return intent(.start(task)) + intent(.instruct(text))
        }
    }

    private func followUps(_ pull: ForgePullRequest, _ review: ForgeReview, _ sender: ForgeUser) -> [Intent] {
        guard review.verdict == .changesRequested, pull.isOpen, isOurs(pull.headBranch) else { return [] }
        return [
            Intent(
                .followUp(review: review.id, text: IssueText(review.body).text),
                on: .branch(pull.repository, pull.headBranch), by: sender)
        ]
    }

    private func repairs(_ repository: RepositoryReference, _ checks: ForgeChecks, _ sender: ForgeUser) -> [Intent] {
        guard checks.conclusion == .failure else { return [] }
        let text = ReportText.repair(checks)
        // Gitea's statuses are of a commit, whatever stands at it.
        let targets: [IssueTarget] =
            checks.branches.isEmpty
            ? [.commit(repository, checks.commit)]
            : checks.branches.filter(isOurs).map { .branch(repository, $0) }
        return targets.map {
            Intent(.repair(commit: checks.commit, text: text), on: $0, by: sender, needs: nil)
        }
    }

    private func ended(_ pull: ForgePullRequest, _ sender: ForgeUser) -> [Intent] {
        guard isOurs(pull.headBranch) else { return [] }
        let action: Intent.Action =
            pull.isMerged ? .merged : .cancel(reason: "the pull request was closed by \(sender.login)")
        return [Intent(action, on: .branch(pull.repository, pull.headBranch), by: sender, needs: nil)]
    }

    private func isOurs(_ branch: String) -> Bool { branch.hasPrefix(rules.branchPrefix + "/") }

    /// A new task with a snapshot of its issue, cleaned.
    package func task(for issue: ForgeIssue, by sender: ForgeUser, forge: ForgeKind) -> NewTask {
        let body = IssueText(issue.body)
        let title = IssueText.line(issue.title)
        var details = TaskDetails(
            title: title, body: body.text, requestedBy: sender.login,
            branch: IssueContents.branch(issue.reference.number, title: title, prefix: rules.branchPrefix))
        details.issueURL = issue.url
        details.acceptanceCriteria = IssueContents.criteria(body.text)
        details.relatedFiles = IssueContents.candidatePaths(body.text)
        details.blockedBy = IssueContents.blockers(body.text, of: issue.reference.number)
        return NewTask(
            forge: forge, issue: issue.reference, agent: rules.agent(for: issue, text: body.text),
            priority: rules.priority(of: issue), details: details)
    }
}
