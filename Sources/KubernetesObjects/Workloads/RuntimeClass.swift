/// A container runtime configuration that pods name.
package struct RuntimeClass: KubernetesResource {
    package private(set) var apiVersion = "node.k8s.io/v1"
    package private(set) var kind = "RuntimeClass"
    package var metadata: ObjectMeta
    package var handler: String

    package init(metadata: ObjectMeta, handler: String) {
        self.metadata = metadata
        self.handler = handler
    }
}
