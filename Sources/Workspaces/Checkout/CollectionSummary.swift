package import FoundationEssentials

/// What a collection brought out of a session.
package struct CollectionSummary: Hashable, Sendable, Codable {
    /// The object that each reference of the session points to, by its whole name.
    package var references: [String: String]
    package var collectedAt: Date
    /// What could not be represented; while there is any, the volume is not deleted.
    package var incomplete: [String]
    /// What a user should know of it besides.
    package var notes: [String]

    package init(
        references: [String: String], collectedAt: Date = Date(), incomplete: [String] = [], notes: [String] = []
    ) {
        self.notes = notes
        self.references = references
        self.collectedAt = collectedAt
        self.incomplete = incomplete
    }
}
