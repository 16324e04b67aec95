/// Pods that run to completion.
package struct Job: KubernetesResource {
    package private(set) var apiVersion = "batch/v1"
    package private(set) var kind = "Job"
    package var metadata: ObjectMeta
    package var spec: JobSpec

    package init(metadata: ObjectMeta, spec: JobSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct JobSpec: Codable, Hashable, Sendable {
    /// How many times a failed pod is tried again.
    package var backoffLimit: Int?
    package var completions: Int?
    package var parallelism: Int?
    package var template: PodTemplateSpec

    package init(backoffLimit: Int, template: PodTemplateSpec) {
        self.backoffLimit = backoffLimit
        self.template = template
    }
}
