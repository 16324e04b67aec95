/// Replaces the escapes of a double-quoted value of an env file: `\a \b \f \n \r \t \v \\ \" \0ddd`; `\$` becomes `$$`, which
/// interpolation turns into a dollar sign. Every other backslash stays.
func expandEscapes(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "\\")) else { return bytes }
    var output: [UInt8] = []
    var index = 0
    while index < bytes.count {
        guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
            output.append(bytes[index])
            index += 1
            continue
        }
        if bytes[index + 1] == UInt8(ascii: "$") {
            output += Array("$$".utf8)
            index += 2
        } else if let plain = simpleEscape(bytes[index + 1]) {
            output.append(plain)
            index += 2
        } else if let scalar = octalEscape(bytes[(index + 1)...]) {
            output += Array(String(Character(scalar)).utf8)
            index += 5
        } else {
            output.append(bytes[index])
            index += 1
        }
    }
    return output
}

private func simpleEscape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "a"): 0x07
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "\\"), UInt8(ascii: "\""): byte
    default: nil
    }
}

/// `0ddd` with three octal digits.
private func octalEscape(_ bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let digits = bytes.prefix(4)
    guard digits.count == 4, digits.first == UInt8(ascii: "0") else { return nil }
    guard let value = UInt8(String(decoding: digits.dropFirst(), as: UTF8.self), radix: 8) else { return nil }
    return Unicode.Scalar(value)
}
