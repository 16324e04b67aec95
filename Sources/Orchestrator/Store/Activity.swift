package import FoundationEssentials

/// One line of what happened: every transition of a task writes one in its own transaction.
package struct Activity: Hashable, Sendable, Codable {
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case transition
        /// Something that an agent said it did.
        case progress
        /// A person's act: a command, a credential entered.
        case command
        /// Something that was told the forge.
        case published
        case warning
    }

    /// Given by the store, growing.
    package var id: Int64
    package var at: Date
    /// Nil: it is of no task.
    package var task: Int64?
    package var kind: Kind
    /// Who: a replica, a login, `agent`.
    package var actor: String
    package var message: String
    /// What a transition led to.
    package var state: TaskState?

    package init(
        id: Int64 = 0, at: Date = Date(), task: Int64? = nil, kind: Kind, actor: String, message: String,
        state: TaskState? = nil
    ) {
        self.id = id
        self.at = at
        self.task = task
        self.kind = kind
        self.actor = actor
        self.message = message
        self.state = state
    }
}
