/// Where a pod is in one of its networks.
package struct ServiceAddress: Hashable, Sendable {
    /// The network as the runtime calls it; on a cluster `pod`.
    package var network: String
    package var address: String

    package init(network: String, address: String) {
        self.network = network
        self.address = address
    }
}
