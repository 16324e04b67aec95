import SystemCrypto

extension SecretGenerator {
    /// A new random value: the text with every `$generate:…$` filled in.
    ///
    /// - Throws: ``StackError`` (`noRandomness`) if the system gives no random bytes.
    package func generate() throws(StackError) -> String {
        do throws(CryptoError) {
            var value = ""
            for piece in pieces { value += try Self.text(of: piece) }
            return value
        } catch {
            throw StackError(.noRandomness, "a secret could not be made", cause: "\(error)")
        }
    }

    private static func text(of piece: Piece) throws(CryptoError) -> String {
        switch piece {
        case .text(let text): text
        case .generated(.hex(let length)): hex(try randomBytes(length))
        case .generated(.base64(let length)): base64(try randomBytes(length))
        case .generated(.alnum(let length)): try randomAlphanumeric(length)
        case .generated(.uuid): try randomUUID()
        }
    }
}
