/// See ``TextRule/name``.
package func isName(_ text: String) -> Bool {
    guard let first = text.utf8.first, isAlphanumeric(first), text.utf8.count <= 128 else { return false }
    return text.utf8.allSatisfy { isAlphanumeric($0) || "._-".utf8.contains($0) } && !text.contains("..")
}

func isVariableName(_ text: String) -> Bool {
    guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
    return text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
}

func isLabel(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last, text.utf8.count <= 63 else { return false }
    return isLowerOrDigit(first) && isLowerOrDigit(last)
        && text.utf8.allSatisfy { isLowerOrDigit($0) || $0 == UInt8(ascii: "-") }
}

func isInnerPath(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("/") && !text.hasPrefix("~") && !text.utf8.contains(0)
        && !text.split(separator: "/").contains("..")
}

package func isAddress(_ text: String) -> Bool {
    if text.contains(":") {
        return text.utf8.allSatisfy {
            UnicodeScalar($0).properties.isASCIIHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil && !$0.hasPrefix("+") }
}

package func isAlphanumeric(_ byte: UInt8) -> Bool {
    isLowerOrDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
}

private func isLowerOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
