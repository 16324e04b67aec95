import Compose
import KubernetesObjects
import OrderedCollections

/// Renders the object that makes a group's pods.
struct ControllerStep: PodStep {
    let inputs: PodInputs
    let workload: Workload
    let group: Group
    let pod: PodDraft
    var reports = ReportCollector()

    mutating func run() -> KubernetesObject {
        let first = workloads[group.workloads[0]]
        let labels = labels(group.name, component: group.component)
        var annotations = deployLabels()
        if !workload.dependencies.isEmpty {
            annotations[Keys.dependsOn] = workload.dependencies
                .map { "\($0.workload)=\($0.condition.rawValue)" }.joined(separator: ",")
        }
        if let job = group.job { annotations[Keys.job] = job }
        let metadata = metadata(group.name, labels: labels, annotations: annotations)
        let template = template(labels: labels)
        let selector = LabelSelector(matchLabels: selector(group.name))
        reportAttempts()
        let scaling = ScalingStep(inputs: inputs, group: group, kind: workload.kind, pod: pod).run(reporting: &reports)
        switch first.kind {
        case .job(let limit):
            let job = job(first, metadata: metadata, backoffLimit: limit, template: template)
            guard let schedule = first.schedule else { return .job(job) }
            checkScheduledName(first, group.name)
            return .cronJob(cronJob(job, first, schedule))
        case .daemonSet:
            var spec = DaemonSetSpec(selector: selector, template: template)
            spec.minReadySeconds = scaling.minReadySeconds
            spec.updateStrategy = scaling.strategy
            return .daemonSet(DaemonSet(metadata: metadata, spec: spec))
        case .deployment, .initContainer:
            var spec = DeploymentSpec(
                replicas: scaling.replicas, selector: selector, strategy: scaling.strategy, template: template)
            spec.minReadySeconds = scaling.minReadySeconds
            spec.progressDeadlineSeconds = scaling.progressDeadlineSeconds
            return .deployment(Deployment(metadata: metadata, spec: spec))
        }
    }

    /// A policy of `any` restarts for ever, whatever limit stands beside it.
    private mutating func reportAttempts() {
        for index in group.workloads {
            let workload = workloads[index]
            guard let policy = workload.service.deploy?.restartPolicy, (policy.maxAttempts ?? 0) > 0,
                policy.condition == nil || policy.condition == "any"
            else { continue }
            report(
                workload, "deploy.restart_policy.max_attempts",
                "a service that is always restarted is so without a limit",
                hint: "write `condition: on-failure`, or remove it")
        }
    }

    private func template(labels: StringMap) -> PodTemplateSpec {
        PodTemplateSpec(
            metadata: ObjectMeta(
                labels: StringMap(pod.labels).merging(labels),
                annotations: pod.annotations.isEmpty ? nil : StringMap(pod.annotations)),
            spec: pod.spec)
    }

    private mutating func job(
        _ workload: ServiceWorkload, metadata: ObjectMeta, backoffLimit: Int, template: PodTemplateSpec
    ) -> Job {
        var template = template
        // What is tried again is tried in its own pod, which keeps its address and its temporary files.
        template.spec.restartPolicy = backoffLimit > 0 ? "OnFailure" : "Never"
        var spec = JobSpec(backoffLimit: min(backoffLimit, Int(Int32.max)), template: template)
        if let count = workload.service.deploy?.replicas ?? workload.service.scale, count > 1 {
            spec.completions = count
            spec.parallelism = count
        }
        if workload.service.deploy?.mode == .globalJob {
            report(workload, "deploy.mode", "the job runs once, not once on every node")
        }
        return Job(metadata: metadata, spec: spec)
    }

    private mutating func deployLabels() -> [String: String] {
        var result: [String: String] = [:]
        for index in group.workloads {
            let workload = workloads[index]
            for (key, value) in workload.service.deploy?.labels ?? [:]
            where isAnnotation(key, "deploy.labels", workload) {
                result[key] = value
            }
        }
        return result
    }

    /// The Job as one that the cluster makes by the clock.
    private func cronJob(_ job: Job, _ workload: ServiceWorkload, _ schedule: CronSchedule) -> CronJob {
        var spec = CronJobSpec(schedule: schedule.text, jobTemplate: JobTemplateSpec(spec: job.spec))
        spec.concurrencyPolicy = KomposeSchedule.concurrencyPolicies.first {
            $0.lowercased() == kompose("cronjob.concurrency_policy", workload)?.lowercased()
        }
        return CronJob(metadata: job.metadata, spec: spec)
    }

    /// A CronJob's Jobs have its name with eleven characters behind it.
    private mutating func checkScheduledName(_ workload: ServiceWorkload, _ name: String) {
        guard name.utf8.count > 52 else { return }
        refuse(
            workload, "labels.kompose.cronjob.schedule", "the name \(name) is too long for a CronJob",
            hint: "use at most 52 characters")
    }
}
