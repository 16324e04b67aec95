/// What a session's egress has seen, as `so-egress status` prints it: JSON.
package struct EgressStatus: Codable, Hashable, Sendable {
    /// Names that were asked for and not allowed, most often asked first.
    package var denied: [DeniedName] = []
    package var requests = 0
    package var usage = TokenUsage()
    /// In billionths of a dollar.
    package var cost = 0
    package var budget: Int?
    /// Models whose price is not in the table; they count as the dearest known one.
    package var unpriced: [String] = []
    /// Answers that ended early; their tokens are estimated.
    package var cutAnswers = 0
    /// Requests that the used-up budget refused.
    package var refusedByBudget = 0
    /// The number of the last entry of the log.
    package var sequence = 0

    package init() {}

    package struct DeniedName: Codable, Hashable, Sendable {
        /// `name:port`; without a port where only its address was asked for.
        package var name: String
        package var reason: String
        package var count: Int

        package init(name: String, reason: String, count: Int) {
            self.name = name
            self.reason = reason
            self.count = count
        }
    }
}
