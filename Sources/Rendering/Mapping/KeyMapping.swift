/// What `so` does with one key of a compose file: the table that the renderer, `--explain-mapping` and the README share.
package struct KeyMapping: Hashable, Sendable {
    /// What becomes of a key.
    package enum Outcome: Hashable, Sendable {
        /// It is rendered; the text says as what.
        case mapped(String)
        /// It has done its work while the files were loaded.
        case loaded(String)
        /// It has no equivalent and changes nothing that runs: named where all keys are, never a warning.
        case noted(String)
        /// It has no equivalent: a warning, under `--strict` an error. The text says the consequence.
        case reported(String)
        /// It cannot be honoured: an error. The text says why, and what to write instead.
        case refused(String)
    }

    /// Where the key stands.
    package enum Place: String, Hashable, Sendable, CaseIterable {
        case service
        case network
        case volume
        case config
        case secret
        case topLevel = "top level"
    }

    package var place: Place
    /// The key, dotted for nested ones.
    package var key: String
    package var outcome: Outcome
}
