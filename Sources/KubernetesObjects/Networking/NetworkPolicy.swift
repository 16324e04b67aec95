/// Which traffic of the selected pods is allowed; a listed policy type without rules allows none.
package struct NetworkPolicy: KubernetesResource {
    package struct Peer: Codable, Hashable, Sendable {
        package var podSelector: LabelSelector?
    }

    package struct IngressRule: Codable, Hashable, Sendable {
        package var from: [Peer]?
    }

    package struct EgressRule: Codable, Hashable, Sendable {
        package var to: [Peer]?
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
}
