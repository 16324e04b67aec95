/// A line of the egress's log: JSON, numbered, only ever added to.
package struct LogEntry: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Hashable, Sendable {
        case started
        case denied
        /// A provider answered.
        case answered
        /// The used-up budget refused a request.
        case refused
    }

    package var sequence: Int
    /// Seconds since 1970.
    package var time: Int
    package var kind: Kind
    /// Of `denied`: what was asked for, how often so far, and why not.
    package var name: String?
    package var reason: String?
    package var count: Int?
    /// Of `answered`.
    package var provider: String?
    package var model: String?
    package var usage: TokenUsage?
    package var cost: Int?
    package var isWhole: Bool?
    package var isPriced: Bool?
    package var status: Int?

    package init(_ kind: Kind, time: Int) {
        self.kind = kind
        self.time = time
        sequence = 0
    }
}
