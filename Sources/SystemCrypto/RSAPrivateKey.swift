import COpenSSL

/// An RSA key that signs, read from PEM (PKCS#1 or PKCS#8, not encrypted). No description shows it.
package struct RSAPrivateKey: Sendable, CustomStringConvertible, CustomReflectable {
    private let pem: [UInt8]

    /// The shortest modulus that is taken, in bits.
    private static let leastBits: Int32 = 2048

    /// - Throws: ``CryptoError`` (`key`) where it is not an RSA private key, or a short one.
    package init(pem: [UInt8]) throws(CryptoError) {
        self.pem = pem
        let key = try Self.load(pem)
        defer { EVP_PKEY_free(key) }
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA else { throw CryptoError(.key, "this is not an RSA key") }
        guard EVP_PKEY_get_bits(key) >= Self.leastBits else {
            throw CryptoError(.key, "this RSA key has fewer than \(Self.leastBits) bits")
        }
    }

    package var description: String { "RSA private key" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017), which JWTs call RS256. The same message has the same signature.
    package func signature(of message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let key = try Self.load(pem)
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var length = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
            EVP_DigestSign(context, nil, &length, message, message.count) == 1
        else { throw .fromQueue(.signature, "OpenSSL cannot sign with this key") }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
            throw .fromQueue(.signature, "OpenSSL cannot sign with this key")
        }
        return Array(signature.prefix(length))
    }

    private static func load(_ pem: [UInt8]) throws(CryptoError) -> OpaquePointer {
        let key = pem.withUnsafeBytes { bytes in
            let source = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { BIO_free(source) }
            // Without this OpenSSL would ask for a password on the terminal.
            return PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil)
        }
        guard let key else { throw .fromQueue(.key, "this is not a private key in PEM form") }
        return key
    }
}
