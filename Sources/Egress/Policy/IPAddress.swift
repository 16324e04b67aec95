import Glibc

/// An IPv4 or IPv6 address; one of IPv4 inside IPv6 (`::ffff:10.0.0.1`) is the IPv4 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four or sixteen bytes in network order.
    package let bytes: [UInt8]

    package init?(_ text: some StringProtocol) {
        var four = in_addr()
        var sixteen = in6_addr()
        if inet_pton(AF_INET, String(text), &four) == 1 {
            self.init(bytes: withUnsafeBytes(of: &four) { Array($0) })
        } else if inet_pton(AF_INET6, String(text), &sixteen) == 1 {
            self.init(bytes: withUnsafeBytes(of: &sixteen) { Array($0) })
        } else {
            return nil
        }
    }

    /// - Parameter bytes: four or sixteen.
    package init(bytes: [UInt8]) {
        let mapped =
            bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 255 && bytes[11] == 255
        self.bytes = mapped ? Array(bytes.suffix(4)) : bytes
    }

    package var description: String {
        if bytes.count == 4 { return bytes.map { String($0) }.joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether it belongs to the public internet: no private, local, shared, link-local (the metadata services of clouds), documentation,
    /// multicast or reserved address, and no IPv6 address that carries an IPv4 one.
    ///
    /// Rule: the IANA special-purpose address registries, RFC 6890; 168.63.129.16 is Azure's host service.
    package var isPublic: Bool {
        if bytes.count == 4 { return !IPAddress.reserved.contains { $0.contains(bytes) } }
        // 2000::/3 is what has been given out; what lies in it and is not public is listed.
        return bytes[0] & 0xe0 == 0x20 && !IPAddress.reserved6.contains { $0.contains(bytes) }
    }

    private static let reserved: [Block] = [
        Block([0], 8), Block([10], 8), Block([100, 64], 10), Block([127], 8), Block([169, 254], 16),
        Block([172, 16], 12),
        Block([192, 0, 0], 24), Block([192, 0, 2], 24), Block([192, 88, 99], 24), Block([192, 168], 16),
        Block([198, 18], 15), Block([198, 51, 100], 24), Block([203, 0, 113], 24), Block([224], 3),
        Block([168, 63, 129, 16], 32),
    ]

    // IETF protocol assignments (Teredo and ORCHID are there), documentation, 6to4, the new documentation block.
    private static let reserved6: [Block] = [
        Block([0x20, 0x01, 0x00], 23), Block([0x20, 0x01, 0x0d, 0xb8], 32), Block([0x20, 0x02], 16),
        Block([0x3f, 0xff, 0x00], 20),
    ]
}

/// The addresses that begin with these bits.
private struct Block: Sendable {
    let start: [UInt8]
    let bits: Int

    init(_ start: [UInt8], _ bits: Int) {
        self.start = start
        self.bits = bits
    }

    func contains(_ address: [UInt8]) -> Bool {
        (0..<bits).allSatisfy { bit in
            let own = bit / 8 < start.count ? start[bit / 8] : 0
            return (own ^ address[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}
