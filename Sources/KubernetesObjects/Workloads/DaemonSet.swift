/// One pod on every node.
package struct DaemonSet: KubernetesResource {
    package private(set) var apiVersion = "apps/v1"
    package private(set) var kind = "DaemonSet"
    package var metadata: ObjectMeta
    package var spec: DaemonSetSpec

    package init(metadata: ObjectMeta, spec: DaemonSetSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct DaemonSetSpec: Codable, Hashable, Sendable {
    package var minReadySeconds: Int?
    package var selector: LabelSelector
    package var updateStrategy: DeploymentStrategy?
    package var template: PodTemplateSpec

    package init(selector: LabelSelector, template: PodTemplateSpec) {
        self.selector = selector
        self.template = template
    }
}
