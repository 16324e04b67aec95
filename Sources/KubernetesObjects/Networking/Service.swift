/// A name of the cluster's DNS, and the pods behind it.
package struct Service: KubernetesResource {
    package private(set) var apiVersion = "v1"
    package private(set) var kind = "Service"
    package var metadata: ObjectMeta
    package var spec: ServiceSpec

    package init(metadata: ObjectMeta, spec: ServiceSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct ServiceSpec: Codable, Hashable, Sendable {
    /// `ClusterIP`, `NodePort`, `LoadBalancer` or `ExternalName`.
    package var type: String?
    /// `None` makes the Service headless: its name resolves to the pods themselves.
    package var clusterIP: String?
    package var externalName: String?
    package var publishNotReadyAddresses: Bool?
    package var selector: StringMap?
    package var ports: [ServicePort]?

    package init() {}
}

package struct ServicePort: Codable, Hashable, Sendable {
    package var name: String?
    package var port: Int
    package var targetPort: IntOrString?
    /// `TCP`, `UDP` or `SCTP`; always rendered, since server-side apply merges the list by port and protocol.
    package var `protocol`: String
    package var appProtocol: String?
    package var nodePort: Int?

    package init(name: String?, port: Int, targetPort: IntOrString? = nil, protocol transport: String) {
        self.name = name
        self.port = port
        self.targetPort = targetPort
        self.protocol = transport
    }
}
