/// Tells the forge about a task. Every call may be repeated: what was told already is found by its key and not told again.
package protocol TaskReporter: Sendable {
    /// Makes or edits the task's one progress comment; calls that come fast are told as one.
    func progress(_ task: IssueTask) async throws
    /// The same for a task that waits.
    ///
    /// - Parameter reason: what for, where the task itself does not say it.
    func wait(_ task: IssueTask, for reason: String?) async throws
    /// Checks the work, pushes the branch, opens or finds the pull request.
    ///
    /// - Throws: `TaskFailure` of the kind `refused` or `forge`.
    func publish(_ task: IssueTask, _ work: CollectedWork) async throws -> TaskPullRequest
    /// The short closing comment: done, failed, escalated or cancelled.
    func close(_ task: IssueTask) async throws
}

extension TaskFailure: Error {}
