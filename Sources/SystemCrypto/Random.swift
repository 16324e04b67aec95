import COpenSSL

/// Bytes from OpenSSL's random generator, fit for keys.
/// - Throws: ``CryptoError`` where the system gives no randomness.
package func randomBytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    guard let length = Int32(exactly: count), RAND_bytes(&bytes, length) == 1 else {
        throw .fromQueue(.random, "OpenSSL gave no \(count) random bytes; check the system's entropy source")
    }
    return bytes
}

/// A random text of the letters `A–Z`, `a–z` and the digits, each as likely as any other (5.95 bits a character).
/// - Throws: ``CryptoError`` where the system gives no randomness.
package func randomAlphanumeric(_ length: Int) throws(CryptoError) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    // The bytes that remain after the last whole multiple of 62 would favour the first characters.
    let fair = 256 / alphabet.count * alphabet.count
    var text: [UInt8] = []
    while text.count < length {
        for byte in try randomBytes(length - text.count) where Int(byte) < fair {
            text.append(alphabet[Int(byte) % alphabet.count])
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// A random UUID (version 4, RFC 9562 section 5.4) in lower case.
/// - Throws: ``CryptoError`` where the system gives no randomness.
package func randomUUID() throws(CryptoError) -> String {
    var bytes = try randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]].map { hex($0) }.joined(
        separator: "-")
}
