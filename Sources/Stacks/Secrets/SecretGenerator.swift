package import YAML

/// A value of `config` with `$generate:<type>:<length>$` in it, perhaps inside other text.
package struct SecretGenerator: Hashable, Sendable {
    /// What is generated.
    package enum Kind: Hashable, Sendable {
        /// This many random bytes, as twice as many lower-case digits.
        case hex(Int)
        /// This many random bytes, in base64.
        case base64(Int)
        /// This many letters and digits.
        case alnum(Int)
        /// A random UUID.
        case uuid
    }

    package enum Piece: Hashable, Sendable {
        case text(String)
        case generated(Kind)
    }

    package var pieces: [Piece]
    package var mark: Mark

    package init(pieces: [Piece], mark: Mark = .generated) {
        self.pieces = pieces
        self.mark = mark
    }
}
