/// Expands `$(NAME)` and `$$` as Kubernetes does in commands, arguments and variables; an unknown name stays as it stands.
package func expandingReferences(_ text: String, _ value: (String) -> String?) -> String {
    let dollar = UInt8(ascii: "$")
    guard text.utf8.contains(dollar) else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
        guard bytes[index] == dollar, index + 1 < bytes.count else {
            result.append(bytes[index])
            index += 1
            continue
        }
        if bytes[index + 1] == UInt8(ascii: "("),
            let end = bytes[(index + 2)...].firstIndex(of: UInt8(ascii: ")"))
        {
            let name = String(decoding: bytes[(index + 2)..<end], as: UTF8.self)
            result.append(contentsOf: (value(name) ?? "$(\(name))").utf8)
            index = end + 1
        } else {
            result.append(dollar)
            if bytes[index + 1] != dollar { result.append(bytes[index + 1]) }
            index += 2
        }
    }
    return String(decoding: result, as: UTF8.self)
}
