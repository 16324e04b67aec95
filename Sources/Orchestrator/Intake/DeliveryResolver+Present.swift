// What is told late, again or in another order than it happened is decided by what the forge says now.
extension DeliveryResolver {
    /// What is left of an event.
    struct Present {
        /// As it is to be followed.
        var event: ForgeEvent
        /// How the label came to be there, where it was set and the forge knows.
        var labelling: ForgeLabelling?
        /// Why it is over.
        var over: String?
    }

    func present(_ event: ForgeEvent, _ rules: IntakeRules) async throws -> Present {
        guard let issue = event.content.issue else { return Present(event: event) }
        let now: ForgeIssue
        do {
            now = try await forge.issue(issue.reference)
        } catch let error as OrchestratorError where error.code == .missing {
            // Deleted or moved away: what ends a task still does.
            if case .labeled = event.content { return Present(event: event, over: "the issue is gone") }
            return Present(event: event)
        }
        if let reason = Self.over(event.content, now, rules.label) { return Present(event: event, over: reason) }
        guard case .labeled(_, let labels) = event.content else { return Present(event: event) }
        // Who set it last is who has to be allowed to, and the issue is as it reads now.
        let labelling = try await forge.labelling(of: rules.label, on: issue.reference)
        return Present(
            event: ForgeEvent(.labeled(now, labels: labels), sender: labelling?.by ?? event.sender),
            labelling: labelling)
    }

    private static func over(_ content: ForgeEvent.Content, _ now: ForgeIssue, _ label: String) -> String? {
        let isLabelled = now.labels.contains(label)
        return switch content {
        case .labeled where !now.isOpen: "the issue is closed by now"
        case .labeled where !isLabelled: "the label `\(label)` is off again"
        case .unlabeled where isLabelled: "the label `\(label)` is there again"
        case .closed where now.isOpen: "the issue is open again"
        default: nil
        }
    }
}

extension ForgeEvent.Content {
    /// Whether it tells of something that stands at the forge until it is changed again.
    var isOfState: Bool { issue != nil }

    /// The issue that stands so.
    var issue: ForgeIssue? {
        switch self {
        case .labeled(let issue, _), .unlabeled(let issue, _), .closed(let issue): issue
        default: nil
        }
    }
}
