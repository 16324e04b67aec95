import COpenSSL

/// A 256-bit key that seals texts with AES-256-GCM (NIST SP 800-38D). No description shows it.
package struct SealingKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The length of a key, in bytes.
    package static let length = 32
    private static let nonceLength = 12
    private static let tagLength = 16

    private let bytes: [UInt8]

    /// - Throws: ``CryptoError`` (`key`) where there are not 32 bytes.
    package init(_ bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == Self.length else {
            throw CryptoError(.key, "a key has \(Self.length) bytes, not \(bytes.count)")
        }
        self.bytes = bytes
    }

    /// A new key.
    package static func random() throws(CryptoError) -> SealingKey { try SealingKey(randomBytes(length)) }

    package var description: String { "sealing key" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// The key in base64, to be kept in a file that only its owner reads.
    package var base64Text: String { base64(bytes) }

    /// Names the key without telling anything about it: the start of its digest's digest.
    package var fingerprint: String { String(sha256Hex(sha256(Array("so sealing key".utf8) + bytes)).prefix(16)) }

    /// Nonce, ciphertext and tag.
    ///
    /// - Parameter context: what the text belongs to; it opens with the same context only.
    package func seal(_ text: [UInt8], context: String) throws(CryptoError) -> [UInt8] {
        let nonce = try randomBytes(Self.nonceLength)
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var sealed = [UInt8](repeating: 0, count: text.count + 16)
        var tag = [UInt8](repeating: 0, count: Self.tagLength)
        var (count, last): (Int32, Int32) = (0, 0)
        guard EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), nil, bytes, nonce) == 1,
            EVP_EncryptUpdate(cipher, nil, &count, Array(context.utf8), Int32(clamping: context.utf8.count)) == 1,
            EVP_EncryptUpdate(cipher, &sealed, &count, text, Int32(clamping: text.count)) == 1,
            EVP_EncryptFinal_ex(cipher, &tag, &last) == 1,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), &tag) == 1
        else { throw .fromQueue(.sealed, "OpenSSL cannot seal") }
        return nonce + sealed.prefix(Int(count)) + tag
    }

    /// - Throws: ``CryptoError`` (`sealed`) where one bit of it, the key or the context is another.
    package func open(_ sealed: [UInt8], context: String) throws(CryptoError) -> [UInt8] {
        let overhead = Self.nonceLength + Self.tagLength
        guard sealed.count >= overhead else { throw CryptoError(.sealed, "a sealed text is longer than this") }
        let nonce = Array(sealed.prefix(Self.nonceLength))
        let body = Array(sealed[Self.nonceLength..<(sealed.count - Self.tagLength)])
        var tag = Array(sealed.suffix(Self.tagLength))
        let cipher = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(cipher) }
        var text = [UInt8](repeating: 0, count: body.count + 16)
        var end = [UInt8](repeating: 0, count: 16)
        var (count, last): (Int32, Int32) = (0, 0)
        guard EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), nil, bytes, nonce) == 1,
            EVP_DecryptUpdate(cipher, nil, &count, Array(context.utf8), Int32(clamping: context.utf8.count)) == 1,
            EVP_DecryptUpdate(cipher, &text, &count, body, Int32(clamping: body.count)) == 1,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1,
            EVP_DecryptFinal_ex(cipher, &end, &last) == 1
        else {
            ERR_clear_error()
            throw CryptoError(.sealed, "it was changed, or sealed with another key")
        }
        return Array(text.prefix(Int(count)))
    }
}
