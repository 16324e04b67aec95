/// Writes a text so that Kubernetes' expansion of `$(NAME)` in commands, arguments and variables gives it back as it was.
///
/// Kubernetes reads `$$` as `$` and `$(NAME)` as a variable, and damages a character outside ASCII after a `$`; in any other
/// place a `$` stands for itself. (third_party/forked/golang/expansion of Kubernetes.)
///
/// - Parameter next: the byte that will follow the text, if one will.
package func escapingReferences(_ text: String, before next: UInt8? = nil) -> String {
    let dollar = UInt8(ascii: "$")
    guard text.utf8.contains(dollar) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 4)
    for (index, byte) in bytes.enumerated() {
        result.append(byte)
        guard byte == dollar, let following = index + 1 < bytes.count ? bytes[index + 1] : next else { continue }
        if following == dollar || following == UInt8(ascii: "(") || following >= 0x80 { result.append(dollar) }
    }
    return String(decoding: result, as: UTF8.self)
}
