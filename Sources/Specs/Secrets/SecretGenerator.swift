import SystemCrypto
package import YAML

/// What one `$generate:<type>:<length>$` of `config` asks for.
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

    package var kind: Kind
    /// The place in the spec.
    package var mark: Mark

    package init(_ kind: Kind, at mark: Mark = .generated) {
        self.kind = kind
        self.mark = mark
    }

    /// A new random value.
    ///
    /// - Throws: ``StackError`` (`noRandomness`) if the system gives no random bytes.
    package func generate() throws(StackError) -> String {
        do throws(CryptoError) {
            return switch kind {
            case .hex(let length): hex(try randomBytes(length))
            case .base64(let length): base64(try randomBytes(length))
            case .alnum(let length): try randomAlphanumeric(length)
            case .uuid: try randomUUID()
            }
        } catch {
            throw StackError(.noRandomness, "a secret could not be made", cause: "\(error)")
        }
    }
}
