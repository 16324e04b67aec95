package import FoundationEssentials

/// A webhook that was accepted: kept whole until, and after, it was handled.
package struct Delivery: Hashable, Sendable {
    /// What became of it.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
        case pending
        case handled
        /// Understood, and nothing to do.
        case ignored
        /// It could not be handled; the reason is on the activity page.
        case failed
    }

    package var forge: ForgeKind
    /// The forge's identifier of the delivery; a repeated one is answered and not recorded again.
    package var id: String
    /// The forge's name of the event, e.g. `issues`.
    package var event: String
    package var body: [UInt8]
    package var receivedAt: Date
    package var outcome: Outcome
    package var reason: String?
    /// Given by the store, in the order of arrival.
    package var sequence: Int64 = 0
    /// How often somebody began to handle it.
    package var tries = 0

    package init(
        forge: ForgeKind, id: String, event: String, body: [UInt8], receivedAt: Date = Date(),
        outcome: Outcome = .pending, reason: String? = nil
    ) {
        self.forge = forge
        self.id = id
        self.event = event
        self.body = body
        self.receivedAt = receivedAt
        self.outcome = outcome
        self.reason = reason
    }
}
