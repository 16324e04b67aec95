import Compose

/// An IPv4 network in CIDR notation: https://www.rfc-editor.org/rfc/rfc4632#section-3.1
struct IPv4Subnet: Hashable, Sendable, CustomStringConvertible {
    /// The network's own address.
    let first: UInt32
    let length: Int

    /// Nil for what is not a network of IPv4, or has no room for two members.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = ipv4Number(String(parts[0])), let length = Int(parts[1]),
            (1...29).contains(length), !parts[1].hasPrefix("+")
        else { return nil }
        self.length = length
        first = address & Self.mask(length)
    }

    private static func mask(_ length: Int) -> UInt32 { ~0 << UInt32(32 - length) }

    private var last: UInt32 { first | ~Self.mask(length) }

    /// Whether a member may have the address: neither the network's own nor the one for all.
    func hasMember(_ address: UInt32) -> Bool { address > first && address < last }

    var description: String { "\(ipv4Text(first))/\(length)" }
}

/// The four bytes of an address in one number; nil for what is not an IPv4 address.
func ipv4Number(_ text: String) -> UInt32? {
    guard AddressText.isVersion4(text[...]) else { return nil }
    return text.split(separator: ".").reduce(0) { $0 << 8 | (UInt32($1) ?? 0) }
}

private func ipv4Text(_ address: UInt32) -> String {
    [24, 16, 8, 0].map { "\(address >> UInt32($0) & 255)" }.joined(separator: ".")
}
