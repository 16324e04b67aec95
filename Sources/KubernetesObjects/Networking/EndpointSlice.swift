/// The addresses behind a Service that selects no pods.
package struct EndpointSlice: KubernetesResource {
    package struct Endpoint: Codable, Hashable, Sendable {
        package var addresses: [String]
    }

    package struct Port: Codable, Hashable, Sendable {
        package var name: String?
        package var port: Int
        package var `protocol`: String
    }

    package private(set) var apiVersion = "discovery.k8s.io/v1"
    package private(set) var kind = "EndpointSlice"
    package var metadata: ObjectMeta
    /// `IPv4` or `IPv6`.
    package var addressType: String
    package var endpoints: [Endpoint]
    package var ports: [Port]

    package init(metadata: ObjectMeta, addressType: String, address: String, portName: String?, port: Int) {
        self.metadata = metadata
        self.addressType = addressType
        endpoints = [Endpoint(addresses: [address])]
        ports = [Port(name: portName, port: port, protocol: "TCP")]
    }
}
