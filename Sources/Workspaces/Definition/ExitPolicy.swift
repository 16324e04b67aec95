/// What becomes of a session's work at its end.
package enum ExitPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// It stays on the session's branch.
    case keep
    /// It is merged into the branch that the session began from, where that goes without a conflict.
    case merge
    /// It is left out of the project, and kept for 30 days.
    case discard
}
