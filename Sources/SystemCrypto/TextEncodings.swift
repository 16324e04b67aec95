import COpenSSL

/// Bytes in lower-case hexadecimal.
package func hex(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Bytes in base64 with padding and without line breaks (RFC 4648 section 4).
package func base64(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "" }
    // The encoder ends the text with a zero byte.
    var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
    let length = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
    return String(decoding: text.prefix(Int(length)), as: UTF8.self)
}

/// The bytes that a base64 text with padding stands for; nil where it is none. Spaces and line breaks are not allowed.
package func base64Decoded(_ text: String) -> [UInt8]? {
    let letters = Array(text.utf8)
    let padding = letters.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard letters.count % 4 == 0, padding <= 2, letters.dropLast(padding).allSatisfy(isBase64) else { return nil }
    guard !letters.isEmpty else { return [] }
    var bytes = [UInt8](repeating: 0, count: letters.count / 4 * 3)
    guard EVP_DecodeBlock(&bytes, letters, Int32(letters.count)) == bytes.count else { return nil }
    return bytes.dropLast(padding)
}

private func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
        true
    default: false
    }
}

/// Bytes in base64url without padding (RFC 4648 section 5), as JWTs are written.
package func base64URL(_ bytes: [UInt8]) -> String {
    String(
        base64(bytes).compactMap { letter in
            switch letter {
            case "+": "-"
            case "/": "_"
            case "=": nil
            default: letter
            }
        })
}
