/// Something told the forge, by a key that says what it is, e.g. `task-7/pull-request`. It is recorded before it is done, so that after a crash it is
/// looked up at the forge before it is repeated.
package struct OutgoingAct: Hashable, Sendable, Codable {
    package var key: String
    /// What the forge gave it, e.g. a comment's number; nil while nobody knows whether it was done.
    package var result: String?
    /// Whether the caller has it in hand: nobody else does it meanwhile.
    package var isHeld: Bool

    package init(key: String, result: String? = nil, isHeld: Bool) {
        self.key = key
        self.result = result
        self.isHeld = isHeld
    }
}
