import AgentLoop
import FoundationEssentials

extension IssueTask {
    /// The longest tasking.yaml, in bytes: it goes through one argument of a program, which Linux bounds at 128 KiB.
    private static let limit = 120_000

    /// Names the instruction at hand in tasking.yaml and reporting.yaml: another one for each round and attempt.
    var taskItem: String { "\(id)-\(details.rounds)-\(details.attempts)-\(details.delays)" }

    /// The tasking.yaml of the instruction at hand: the same as long as nothing new was said and nothing failed.
    package func tasking() throws -> String {
        var limit = 80_000
        while true {
            let text = try tasking(limit)
            guard text.utf8.count > Self.limit, limit > 1000 else { return text }
            limit /= 2
        }
    }

    private func tasking(_ limit: Int) throws -> String {
        var parts = [details.body]
        if !details.instructions.isEmpty {
            parts.append(
                "People with write access have asked for this since:\n" + details.instructions.joined(separator: "\n\n")
            )
        }
        if let failure = details.failure, failure.kind == .agent {
            let lines = ([failure.message] + failure.lastLines).joined(separator: "\n")
            parts.append("An earlier attempt failed; do it differently:\n\(lines)")
        }
        let text = Self.cut(redacted(parts.joined(separator: "\n\n")), limit)
        let item = Tasking.Item(
            // It becomes the message of a commit.
            id: taskItem, title: ReportText.closingNothing(details.title), priority: min(max(priority, -1000), 1000),
            branch: details.branch, description: text, acceptanceCriteria: details.acceptanceCriteria,
            relatedFiles: Array(details.relatedFiles.prefix(30)))
        let tasking = Tasking(
            updatedAt: createdAt.formatted(.iso8601), workspace: issue.repository.name, tasks: [item])
        return String(decoding: try tasking.yaml(), as: UTF8.self)
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        return String(decoding: text.utf8.prefix(limit), as: UTF8.self) + "\n[cut here]"
    }
}
