/// Which names a session may reach: `github.com`, `*.debian.org` (any name below it, not itself), either with `:port`.
///
/// Without a port it stands for 80 and 443.
package struct NamePattern: Hashable, Sendable, CustomStringConvertible {
    /// In lower case, without `*.` and without a final dot.
    package let name: String
    package let isWildcard: Bool
    package let port: Int?

    /// - Returns: nil where the text is not such a pattern.
    package init?(_ text: String) {
        var rest = Substring(text)
        var port: Int?
        if let colon = rest.lastIndex(of: ":"), !rest.hasPrefix("[") {
            guard let number = Int(rest[rest.index(after: colon)...]), (1...65535).contains(number) else { return nil }
            port = number
            rest = rest[..<colon]
        }
        isWildcard = rest.hasPrefix("*.")
        if isWildcard { rest = rest.dropFirst(2) }
        guard let name = hostName(rest), !isWildcard || name.contains(".") else { return nil }
        self.name = name
        self.port = port
    }

    package var description: String { (isWildcard ? "*." : "") + name + (port.map { ":\($0)" } ?? "") }

    /// - Parameter host: as ``hostName(_:)`` gives it.
    package func matches(_ host: String) -> Bool {
        isWildcard ? host.hasSuffix("." + name) : host == name
    }

    package func matches(_ host: String, port: Int) -> Bool {
        matches(host) && (self.port.map { $0 == port } ?? NamePattern.ordinaryPorts.contains(port))
    }

    static let ordinaryPorts: Set<Int> = [80, 443]
}

/// The name in lower case without a final dot; nil where it is none that DNS knows (RFC 1123, RFC 2181), an address included as it is.
package func hostName(_ text: some StringProtocol) -> String? {
    var name = text.lowercased()
    if name.hasSuffix(".") { name.removeLast() }
    if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
    if IPAddress(name) != nil { return name }
    guard !name.isEmpty, name.utf8.count <= 253 else { return nil }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return labels.allSatisfy(isLabel) ? name : nil
}

private func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
}
