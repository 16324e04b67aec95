import COpenSSL

/// The SHA-256 digest (FIPS 180-4), 32 bytes.
package func sha256(_ message: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    let isDone = EVP_Digest(message, message.count, &digest, nil, EVP_sha256(), nil) == 1
    // Only an OpenSSL built or configured without SHA-256 gets here, with which nothing would be right.
    precondition(isDone, "OpenSSL has no SHA-256")
    return digest
}

/// The SHA-256 digest of a text's UTF-8.
package func sha256(_ message: String) -> [UInt8] { sha256(Array(message.utf8)) }

/// The SHA-256 digest in lower-case hexadecimal, 64 characters.
package func sha256Hex(_ message: [UInt8]) -> String { hex(sha256(message)) }

/// The SHA-256 digest of a text's UTF-8 in lower-case hexadecimal.
package func sha256Hex(_ message: String) -> String { hex(sha256(message)) }

/// HMAC with SHA-256 (RFC 2104), 32 bytes.
package func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    var length: UInt32 = 0
    // OpenSSL takes a nil key for "the key of the last call", which an empty array could become.
    let storage = key.isEmpty ? [0] : key
    let isDone = HMAC(EVP_sha256(), storage, Int32(key.count), message, message.count, &code, &length) != nil
    precondition(isDone && Int(length) == code.count, "OpenSSL has no HMAC with SHA-256")
    return code
}

/// HMAC with SHA-256 in lower-case hexadecimal.
package func hmacSHA256Hex(key: [UInt8], message: [UInt8]) -> String { hex(hmacSHA256(key: key, message: message)) }

/// Whether two byte strings are equal, in a time that tells nothing about where they differ; their lengths are not secret.
package func isEqualInConstantTime(_ one: [UInt8], _ two: [UInt8]) -> Bool {
    one.count == two.count && CRYPTO_memcmp(one, two, one.count) == 0
}
