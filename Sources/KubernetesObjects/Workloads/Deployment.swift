/// Pods that run for ever.
package struct Deployment: KubernetesResource {
    package private(set) var apiVersion = "apps/v1"
    package private(set) var kind = "Deployment"
    package var metadata: ObjectMeta
    package var spec: DeploymentSpec

    package init(metadata: ObjectMeta, spec: DeploymentSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct DeploymentSpec: Codable, Hashable, Sendable {
    package var replicas: Int?
    package var minReadySeconds: Int?
    package var progressDeadlineSeconds: Int?
    package var revisionHistoryLimit: Int?
    package var selector: LabelSelector
    package var strategy: DeploymentStrategy?
    package var template: PodTemplateSpec

    package init(replicas: Int?, selector: LabelSelector, strategy: DeploymentStrategy?, template: PodTemplateSpec) {
        self.replicas = replicas
        self.selector = selector
        self.strategy = strategy
        self.template = template
    }
}

/// How pods of an old template give way to those of a new one.
package struct DeploymentStrategy: Codable, Hashable, Sendable {
    /// `Recreate` or `RollingUpdate`.
    package var type: String
    package var rollingUpdate: RollingUpdate?

    package init(type: String, rollingUpdate: RollingUpdate? = nil) {
        self.type = type
        self.rollingUpdate = rollingUpdate
    }

    /// The old pod ends before the new one starts.
    package static let recreate = DeploymentStrategy(type: "Recreate")
}

package struct RollingUpdate: Codable, Hashable, Sendable {
    package var maxUnavailable: IntOrString?
    package var maxSurge: IntOrString?

    package init(maxUnavailable: IntOrString, maxSurge: IntOrString) {
        self.maxUnavailable = maxUnavailable
        self.maxSurge = maxSurge
    }
}
