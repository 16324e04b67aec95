import FoundationEssentials
import SystemCrypto

/// What people read at the forge about a task. Everything of the issue or an agent is somebody's text: it is redacted, and
/// can neither mention anybody nor close an issue.
package enum ReportText {
    /// The forges' limit is 65,536 characters.
    static let limit = 60_000

    // MARK: Comments

    /// The one comment of a task that is edited as it goes on.
    package static func progress(_ task: IssueTask, waitsFor reason: String? = nil, page: String?) -> String {
        var lines = ["**\(headline(task))** — \(task.agent)"]
        if let reason, !task.state.isActive { lines.append(plain(reason, limit: 300)) }
        if let step = task.details.currentStep, task.state.isActive { lines.append("> \(quoted(step, limit: 300))") }
        if let failure = task.details.failure, !task.state.isActive || task.state == .blocked {
            lines += failed(failure)
        }
        if let pull = task.details.pullRequest {
            lines += ["Pull request: \(task.forge.pullRequest(pull.number))"] + warning(pull.effects)
        }
        lines.append(footer(task, page))
        return finished(lines, ReportMarker.text("task-\(task.id)/progress"))
    }

    /// The short comment at a task's end: an edited comment tells nobody.
    package static func closing(_ task: IssueTask, page: String?) -> String {
        var lines: [String]
        switch task.state {
        case .review, .done:
            let number = task.details.pullRequest.map { task.forge.pullRequest($0.number) } ?? "the pull request"
            lines = [task.state == .done ? "\(number) was merged: this is done." : "\(number) is ready for review."]
            if task.state == .review { lines += warning(task.details.pullRequest?.effects) }
        case .cancelled: lines = ["Stopped. `@so retry` restarts it."]
        default:
            lines = ["**\(headline(task))**"] + (task.details.failure.map(failed) ?? [])
            lines.append("`@so retry` restarts it; `@so <instruction>` says what to do differently.")
        }
        lines.append(footer(task, page))
        return finished(lines, ReportMarker.text(ReportMarker.closing(task)))
    }

    /// The answer to `@so status`.
    package static func status(_ task: IssueTask?, act: String, page: String?) -> String {
        guard let task else {
            return finished(["This issue has no task. Its label starts one."], ReportMarker.text(act))
        }
        return finished(["**\(headline(task))** — \(task.agent)", footer(task, page)], ReportMarker.text(act))
    }

    /// What is said about a command that was not followed; one comment of an issue, edited with each.
    static func answer(_ text: String, on issue: IssueReference) -> String {
        let marks = [answerMarker(issue), answerMarker(text)].map { ReportMarker.text($0) }
        return finished([text], marks.joined(separator: " "))
    }

    static func answerMarker(_ issue: IssueReference) -> String { "issue-\(issue.number)/answer" }
    /// Of this text alone.
    static func answerMarker(_ text: String) -> String { "answer-\(sha256Hex(text).prefix(16))" }

    private static func headline(_ task: IssueTask) -> String {
        switch task.state {
        case .queued where task.details.failure?.kind == .workspace: "Waiting for the workspace"
        case .queued where task.details.awaitsReport == true: "Waiting for the forge"
        case .received, .queued: task.details.attempts > 0 ? "Waiting for the next attempt" : "Queued"
        case .preparing: "Preparing the workspace"
        case .working: "At work"
        case .reporting: "Bringing the work to the forge"
        case .review: "Waiting for review"
        case .done: "Done"
        case .failed: "Failed"
        case .escalated: "A person has to look"
        case .cancelled: "Stopped"
        case .blocked: blocked(task)
        }
    }

    private static func blocked(_ task: IssueTask) -> String {
        let numbers = task.details.blockedBy.map { "#\($0)" }.joined(separator: ", ")
        return numbers.isEmpty ? "Waiting" : "Waiting for \(numbers)"
    }

    private static func failed(_ failure: TaskFailure) -> [String] {
        let lines = [quoted(ended(failure.message, limit: 2000), limit: 2100)]
        guard !failure.lastLines.isEmpty else { return lines }
        return lines + [fenced(failure.lastLines.suffix(20).joined(separator: "\n"), limit: 4000)]
    }

    private static func footer(_ task: IssueTask, _ page: String?) -> String {
        let usage = task.details.usage
        var parts: [String] = []
        if usage.inputTokens + usage.outputTokens > 0 {
            parts.append("\(usage.inputTokens + usage.outputTokens) tokens, \(dollars(usage.cost))")
        }
        if let page { parts.append("[details](\(page))") }
        parts.append("`@so stop | retry | status | use <agent> | <instruction>`")
        return "<sub>\(parts.joined(separator: " · "))</sub>"
    }

    // MARK: Pull requests

    /// One line for the pull request's title and the branch's merge.
    package static func pullRequestTitle(_ task: IssueTask) -> String { plain(task.details.title, limit: 200) }

    /// What was done, how it was tested, what it cost, and where it came from.
    ///
    /// - Parameter effects: what its commits do beside.
    package static func pullRequestBody(_ task: IssueTask, _ effects: [ForeignEffect] = [], page: String?) -> String {
        let (summary, tests) = (task.details.summary, task.details.tests)
        var lines = ["Closes #\(task.issue.number)"] + warning(effects) + ["", "## What was done", ""]
        lines.append(summary.map { quoted($0, limit: 20_000) } ?? "The agent says nothing: see the commits.")
        lines += ["", "## How it was tested", ""]
        lines.append(
            tests.isEmpty
                ? "The agent reports no tests: the repository's checks decide."
                : fenced(tests.joined(separator: "\n"), limit: 4000))
        if !task.details.acceptanceCriteria.isEmpty {
            lines += ["", "## Acceptance criteria", ""]
            lines += task.details.acceptanceCriteria.map { "- [ ] \(plain($0, limit: 500))" }
        }
        let usage = task.details.usage
        lines += [
            "", "## Cost", "",
            "\(usage.inputTokens) tokens in, \(usage.outputTokens) out, \(dollars(usage.cost)) · agent \(task.agent) · "
                + "asked for by \(task.details.requestedBy)",
        ]
        if let page { lines += ["", "[The task with its log](\(page))"] }
        return finished(lines, ReportMarker.text("task-\(task.id)/pull-request"))
    }

    /// What an agent is told about failed checks.
    static func repair(_ checks: ForgeChecks) -> String {
        let names = checks.failures.map { "- \(plain($0, limit: 300))" }.joined(separator: "\n")
        let list = names.isEmpty ? "" : "\n\(names)"
        return "The checks of commit \(checks.commit.prefix(12)) failed. Find out why and repair it.\(list)"
    }

    /// What an agent is told about a review.
    package static func review(_ body: String, _ comments: [ForgeReviewComment]) -> String {
        let inline = comments.filter { !$0.author.isBot }.prefix(100).map { comment in
            "\(comment.path)\(comment.line.map { ":\($0)" } ?? ""): \(IssueText(comment.body).text)"
        }
        return ([IssueText(body).text] + inline).filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private static func finished(_ lines: [String], _ marker: String) -> String {
        let text = lines.joined(separator: "\n")
        return (text.count > limit ? text.prefix(limit) + "\n…" : text) + "\n\n\(marker)"
    }
}
