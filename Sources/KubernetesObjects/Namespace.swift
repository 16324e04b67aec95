/// A namespace.
package struct Namespace: KubernetesResource {
    package private(set) var apiVersion = "v1"
    package private(set) var kind = "Namespace"
    package var metadata: ObjectMeta

    package init(metadata: ObjectMeta) {
        self.metadata = metadata
    }
}
