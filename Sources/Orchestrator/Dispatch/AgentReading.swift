import AgentLoop
import FoundationEssentials
import OrderedCollections
import Synchronization
import Workspaces

/// What a run of an agent has said so far, handed on and summed up: its log for people to read, its reports for what came of it.
final class AgentReading: Sendable {
    private struct State {
        var lines: [String] = []
        var end: AgentEnd?
        var report: Reporting.TaskReport?
        var step: String?
        var lastProgress: Reporting.Progress?
        var refusal: String?

        /// What the report tells that no version before it told: a step may have come and gone between two versions that were seen.
        mutating func newSteps(_ report: Reporting.TaskReport) -> [String] {
            let progress = report.progress ?? []
            let seen = lastProgress.flatMap { progress.lastIndex(of: $0) }.map { $0 + 1 } ?? 0
            var steps = progress.dropFirst(seen).suffix(20).map(\.message)
            if let current = report.currentStep, current != steps.last, current != step { steps.append(current) }
            (lastProgress, step) = (progress.last ?? lastProgress, steps.last ?? step)
            return steps
        }
    }

    /// The task's id in tasking.yaml and reporting.yaml.
    private let item: String
    private let state = Mutex(State())
    private let events: @Sendable (AgentRunEvent) -> Void

    init(item: String, _ events: @escaping @Sendable (AgentRunEvent) -> Void) {
        self.item = item
        self.events = events
    }

    /// The last lines, redacted: they go into a comment.
    var lines: [String] { state.withLock(\.lines) }

    // MARK: The log

    func read(_ event: AgentEvent) {
        switch event {
        case .started: break
        case .text(let text): say(text)
        case .problem(let text): say("! \(text)")
        case .tool(let name, let detail): say("> \(name) \(detail)")
        case .ended(let end): state.withLock { $0.end = end }
        }
    }

    private func say(_ text: String) {
        let text = redacted(text)
        state.withLock { $0.lines = Array(($0.lines + text.split(separator: "\n").map(String.init)).suffix(20)) }
        events(.output(text.hasSuffix("\n") ? text : text + "\n"))
    }

    // MARK: Reports

    /// Takes a version in; one that was refused leaves what the one before it said.
    func read(_ version: ReportedVersion) {
        switch version {
        case .report(let reporting):
            guard let report = reporting.tasks[item] else { return }
            let steps = state.withLock { state in
                state.report = report
                return state.newSteps(report)
            }
            for step in steps { events(.step(redacted(IssueText.line(step, limit: 300)))) }
        case .refused(let reason):
            let isNew = state.withLock { state in
                defer { state.refusal = reason }
                return state.refusal != reason
            }
            if isNew { events(.refused(redacted(reason))) }
        }
    }

    // MARK: The end

    /// What came of the run: its report and the exit code have to say the same.
    func outcome(_ result: AgentResult?, isBudgetSpent: Bool) -> AgentOutcome {
        let (report, refusal) = state.withLock { ($0.report, $0.refusal) }
        if let report, report.status == .completed, result?.exitCode == 0 {
            return AgentOutcome(
                summary: (report.summary ?? result?.message).map { redacted($0) },
                tests: (report.tests ?? []).map { redacted($0) })
        }
        let said = report?.error ?? (result?.isFailure == true ? result?.message : nil)
        let silence =
            report == nil ? "the agent ended without a report" : "the agent ended before it said that it was done"
        let message = redacted(said ?? refusal.map { "\(silence): \($0)" } ?? silence)
        return AgentOutcome(failure: TaskFailure(kind(isBudgetSpent), message, lastLines: lines))
    }

    private func kind(_ isBudgetSpent: Bool) -> TaskFailure.Kind {
        if isBudgetSpent { return .budget }
        return switch state.withLock({ $0.end?.providerStatus }) {
        case .some(429), .some(500...599): .provider
        case .some(401), .some(403): .credential
        default: .agent
        }
    }
}
