/// Which traffic of the selected pods is allowed; a listed policy type without rules allows none.
package struct NetworkPolicy: KubernetesResource {
    /// Pods of this namespace, or of the namespaces that are selected.
    package struct Peer: Codable, Hashable, Sendable {
        package var namespaceSelector: LabelSelector?
        package var podSelector: LabelSelector?

        package init(podSelector: LabelSelector?, namespaceSelector: LabelSelector? = nil) {
            self.namespaceSelector = namespaceSelector
            self.podSelector = podSelector
        }
    }

    package struct Port: Codable, Hashable, Sendable {
        package var `protocol`: String
        package var port: Int

        package init(_ port: Int, protocol: String) {
            self.protocol = `protocol`
            self.port = port
        }
    }

    /// Without `from`: whoever it comes from. Without `ports`: to any port.
    package struct IngressRule: Codable, Hashable, Sendable {
        package var from: [Peer]?
        package var ports: [Port]?

        package init(from: [Peer]? = nil, ports: [Port]? = nil) {
            self.from = from
            self.ports = ports
        }
    }

    package struct EgressRule: Codable, Hashable, Sendable {
        package var to: [Peer]?
        package var ports: [Port]?

        package init(to: [Peer]? = nil, ports: [Port]? = nil) {
            self.to = to
            self.ports = ports
        }
    }

    package struct Spec: Codable, Hashable, Sendable {
        package var podSelector: LabelSelector
        package var policyTypes: [String]
        package var ingress: [IngressRule]?
        package var egress: [EgressRule]?
    }

    package private(set) var apiVersion = "networking.k8s.io/v1"
    package private(set) var kind = "NetworkPolicy"
    package var metadata: ObjectMeta
    package var spec: Spec

    /// Allows the selected pods no traffic at all.
    package init(denyingAllOf selector: LabelSelector, metadata: ObjectMeta) {
        self.metadata = metadata
        spec = Spec(podSelector: selector, policyTypes: ["Ingress", "Egress"])
    }

    /// Allows the selected pods this traffic; what leaves them is free where `egress` is nil.
    package init(
        of selector: LabelSelector, ingress: [IngressRule], egress: [EgressRule]? = nil, metadata: ObjectMeta
    ) {
        self.metadata = metadata
        spec = Spec(
            podSelector: selector, policyTypes: egress == nil ? ["Ingress"] : ["Ingress", "Egress"],
            ingress: ingress.isEmpty ? nil : ingress, egress: egress)
    }
}
