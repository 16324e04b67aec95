/// The hidden mark of our own comments: how they are found again, and never answered.
package enum ReportMarker {
    private static let start = "<!-- so:"

    /// - Parameter act: what the comment is, such as `task-7/progress`.
    package static func text(_ act: String) -> String { "\(start)\(act) -->" }

    /// Whether a comment carries any of our marks.
    package static func isOwn(_ comment: String) -> Bool { comment.contains(start) }

    /// One closing comment for each time that a task comes to a review or to an end; a merge needs none besides the review's.
    static func closing(_ task: IssueTask) -> String {
        let end = task.state == .done ? TaskState.review : task.state
        return "task-\(task.id)/closing-\(task.details.rounds)-\(end.rawValue)"
    }
}
