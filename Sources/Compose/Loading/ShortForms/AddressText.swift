/// Checks of the textual forms of IP addresses.
package enum AddressText {
    /// `::1` of `[::1]`; nil if the brackets do not match.
    static func unbracketed(_ text: String) -> String? {
        guard text.hasPrefix("[") else { return text }
        guard text.hasSuffix("]"), text.utf8.count > 2 else { return nil }
        return String(text.dropFirst().dropLast())
    }

    /// Whether a text is an IPv4 or IPv6 address.
    package static func isValid(_ text: String) -> Bool { isVersion4(text[...]) || isVersion6(text) }

    /// Four decimal numbers without leading zeros.
    package static func isVersion4(_ text: Substring) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy(isOctet)
    }

    private static func isOctet(_ part: Substring) -> Bool {
        guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
        return (part.utf8.count == 1 || part.utf8.first != 48) && (Int(part) ?? 256) < 256
    }

    /// https://www.rfc-editor.org/rfc/rfc4291#section-2.2; a zone is not an address of a host's own.
    package static func isVersion6(_ text: String) -> Bool {
        let halves = text.split("::")
        guard halves.count <= 2 else { return false }
        var groups = 0
        for (position, half) in halves.enumerated() where !half.isEmpty {
            let parts = half.split(separator: ":", omittingEmptySubsequences: false)
            for (index, part) in parts.enumerated() {
                let isLast = index == parts.count - 1 && position == halves.count - 1
                if isLast && isVersion4(part) {
                    groups += 2
                } else if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                    part.utf8.count == part.count
                {
                    groups += 1
                } else {
                    return false
                }
            }
        }
        return halves.count == 2 ? groups < 8 : groups == 8
    }
}

extension String {
    /// The parts between the occurrences of a separator, empty ones kept.
    func split(_ separator: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = self[...]
        while let found = rest.firstRange(of: separator) {
            parts.append(rest[..<found.lowerBound])
            rest = rest[found.upperBound...]
        }
        return parts + [rest]
    }
}

extension Substring {
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return index..<self.index(index, offsetBy: text.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
