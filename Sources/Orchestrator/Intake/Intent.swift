/// What an event asks the orchestrator to do, before it is known whether the sender may: see ``Intent/needs``.
package struct Intent: Hashable, Sendable {
    package enum Action: Hashable, Sendable {
        /// A task for an issue that has none.
        case start(NewTask)
        case stop
        case retry
        case status
        /// The issue's task goes on with another agent profile.
        case use(agent: String)
        /// More to do for the issue's task, on the session that it has: a comment's text, cleaned.
        case instruct(String)
        /// A review asked for changes: the same, once per review.
        case followUp(review: Int64, text: String)
        /// Checks failed on the task's branch: one repair per attempt, at most two per commit.
        case repair(commit: String, text: String)
        /// The issue was closed, or the label was removed.
        case cancel(reason: String)
        /// The pull request was merged: the task is done, and its session is cleaned.
        case merged
    }

    package var action: Action
    package var issue: IssueTarget
    package var sender: ForgeUser
    /// What the sender has to be allowed for the intent to be followed; nil: it is followed whoever sent it.
    package var needs: ForgePermission?

    package init(_ action: Action, on issue: IssueTarget, by sender: ForgeUser, needs: ForgePermission? = .write) {
        self.action = action
        self.issue = issue
        self.sender = sender
        self.needs = needs
    }
}

extension Intent {
    /// A start by the label, with which setting of it that was.
    func following(_ labelling: ForgeLabelling?) -> Intent {
        guard case .start(var task) = action, let labelling else { return self }
        task.details.labelling = labelling.id
        var intent = self
        intent.action = .start(task)
        return intent
    }
}
