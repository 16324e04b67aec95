/// Jobs that are made by the clock.
package struct CronJob: KubernetesResource {
    package private(set) var apiVersion = "batch/v1"
    package private(set) var kind = "CronJob"
    package var metadata: ObjectMeta
    package var spec: CronJobSpec

    package init(metadata: ObjectMeta, spec: CronJobSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct CronJobSpec: Codable, Hashable, Sendable {
    /// Five fields, or a macro such as `@daily`.
    package var schedule: String
    /// `Allow`, `Forbid` or `Replace`: what happens when a run is due while the last one goes on.
    package var concurrencyPolicy: String?
    package var jobTemplate: JobTemplateSpec

    package init(schedule: String, jobTemplate: JobTemplateSpec) {
        self.schedule = schedule
        self.jobTemplate = jobTemplate
    }
}

package struct JobTemplateSpec: Codable, Hashable, Sendable {
    package var metadata: ObjectMeta?
    package var spec: JobSpec

    package init(metadata: ObjectMeta? = nil, spec: JobSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}
