import Runtimes
import SystemCrypto
import YAML

/// The networks of one session or workspace: a block of 512 private addresses that nothing else on the host has. The lower half is that of the
/// agent, its egress and its companions, the upper half the egress's way out.
package struct SessionAddresses: Hashable, Sendable, Codable {
    /// Which block below 10.128.0.0/9, where podman's own choices come last.
    package let block: Int

    /// - Parameter block: 0…16383.
    package init(block: Int) { self.block = block & 16383 }

    private func address(_ half: Int, _ host: Int) -> String {
        let number = block << 9 | half << 8 | host
        return "10.\(128 + number >> 16).\(number >> 8 & 255).\(number & 255)"
    }

    /// The egress pod's for the agent and its companions.
    package var egress: String { address(0, 2) }
    package var agent: String { address(0, 3) }
    /// Of a companion, by its place among them: 0…99.
    package func companion(_ number: Int) -> String { address(0, 10 + number) }
    /// So many companions have a place.
    package static let companionLimit = 100
    /// The egress pod's where it leads out.
    package var egressOutside: String { address(1, 2) }
    /// The host's, where the egress leads out.
    package var gateway: String { address(1, 1) }

    /// In numbers, the first and the last address.
    package var range: ClosedRange<UInt32> {
        let first = UInt32(10) << 24 | UInt32(128) << 16 | UInt32(block) << 9
        return first...(first + 511)
    }

    /// For a network of compose. What nobody fixed gets an address of the upper half.
    var insideKeys: [(String, Node)] {
        [("ipam", ipam([("subnet", address(0, 0) + "/24"), ("ip_range", address(0, 128) + "/25")]))]
    }
    var outsideKeys: [(String, Node)] {
        [("ipam", ipam([("subnet", address(1, 0) + "/24"), ("gateway", gateway)]))]
    }

    private func ipam(_ pool: [(String, String)]) -> Node {
        .map([("config", .list([.map(pool.map { ($0.0, .string($0.1)) })]))])
    }

    /// A block that is free by what is known.
    ///
    /// - Parameters:
    ///   - taken: those of the other sessions.
    ///   - routed: the addresses that this host knows a way to.
    package static func choose(besides taken: Set<Int>, routed: [ClosedRange<UInt32>]) throws(WorkspaceError)
        -> SessionAddresses
    {
        let start = Int.random(in: 0..<16384)
        for step in 0..<16384 {
            let candidate = SessionAddresses(block: start + step)
            guard !taken.contains(candidate.block), !routed.contains(where: { $0.overlaps(candidate.range) }) else {
                continue
            }
            return candidate
        }
        throw WorkspaceError(
            .unavailable, "no network below 10.128.0.0/9 is free on this host",
            hint: "so session ls; so session cleanup; ip route shows what has taken them")
    }

    /// What an agent shows to its egress. Nobody can guess it.
    package static func randomToken() throws -> String { "so-\(hex(try randomBytes(24)))" }

    /// The networks that this host has a way to; none where it has no such table.
    package static func hostRoutes() -> [ClosedRange<UInt32>] {
        let bytes = (try? Files.read("/proc/net/route")) ?? []
        return routed(String(decoding: bytes, as: UTF8.self))
    }

    /// The networks of a table of routes, in the form of Linux's /proc/net/route; the default route is none.
    package static func routed(_ table: String) -> [ClosedRange<UInt32>] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split { $0 == "\t" || $0 == " " }
            guard fields.count > 7, let network = UInt32(fields[1], radix: 16)?.byteSwapped,
                let mask = UInt32(fields[7], radix: 16)?.byteSwapped, mask != 0
            else { return nil }
            return (network & mask)...(network | ~mask)
        }
    }
}
