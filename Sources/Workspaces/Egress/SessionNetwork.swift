package import Egress

/// How the pods of one session find each other.
package enum SessionNetwork: Hashable, Sendable {
    /// At addresses that the session has chosen.
    case fixed(SessionAddresses)
    /// By names that the runtime knows; the egress's address is known once it runs.
    case named(EgressSurroundings?)

    var addresses: SessionAddresses? {
        if case .fixed(let addresses) = self { addresses } else { nil }
    }

    /// The egress's, as its own program is told: an address, or the name that its runtime knows.
    package var egress: String { addresses?.egress ?? StackPart.egressService }

    /// Where its program listens; nil: at that address alone.
    package var listen: String? { addresses == nil ? "0.0.0.0" : nil }

    /// The egress's address for the other pods; nil where it does not run yet.
    var egressAddress: String? {
        switch self {
        case .fixed(let addresses): addresses.egress
        case .named(let surroundings): surroundings?.address
        }
    }

    /// The agent's pod for the egress.
    var agent: String { addresses?.agent ?? StackPart.agentService }

    /// A companion by its name and its place among them.
    func companion(_ number: Int, _ name: String) -> String { addresses?.companion(number) ?? name }

    /// What one service of the stack is told of the network that agent and companions are in.
    func place(_ address: (SessionAddresses) -> String) -> [(String, String)] {
        addresses.map { [("ipv4_address", address($0))] } ?? []
    }
}
