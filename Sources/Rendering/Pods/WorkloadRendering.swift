import Compose
import KubernetesObjects
import OrderedCollections

extension PodStage {
    /// Renders one pod's workload, and records it.
    mutating func renderWorkload(_ index: Int, to list: inout [Workload]) -> KubernetesObject {
        let group = groups[index]
        let first = workloads[group.workloads[0]]
        var result = Workload(
            name: group.name, kind: kind(first), component: group.component,
            services: group.workloads.map { workloads[$0].service.name })
        result.dependencies = dependencies(of: index)
        result.isStackJob = group.job != nil
        result.completes = completes(first)
        result.hostnames = Dictionary(
            group.workloads.map { (workloads[$0].service.name, hostnames(workloads[$0])) }
        ) { first, _ in first }
        var pod = PodDraft()
        for index in group.initWorkloads { addInitContainer(workloads[index], to: &pod) }
        for index in group.workloads { addContainer(workloads[index], to: &pod) }
        finish(&pod, group: group)
        (result.startPeriods, result.podman) = (pod.startPeriods, pod.podman)
        result.podman.networks = attachments(group)
        result.podman.staysEnded =
            result.kind == .deployment && group.workloads.allSatisfy { !workloads[$0].service.saysRestart }
        list.append(result)
        return object(for: result, first: first, group: group, pod: pod)
    }

    private func kind(_ workload: ServiceWorkload) -> Workload.Kind {
        switch workload.kind {
        case .job: workload.schedule == nil ? .job : .cronJob
        case .daemonSet: .daemonSet
        case .deployment, .initContainer: .deployment
        }
    }

    private func completes(_ workload: ServiceWorkload) -> Bool {
        guard workload.isJob else { return false }
        let mode = workload.service.deploy?.mode
        return workload.job != nil || workload.isAwaited || mode == .replicatedJob || mode == .globalJob
    }

    /// A policy of `any` restarts for ever, whatever limit stands beside it.
    private mutating func reportAttempts(_ group: Group) {
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

    private mutating func object(
        for result: Workload, first: ServiceWorkload, group: Group, pod: PodDraft
    ) -> KubernetesObject {
        let labels = labels(group.name, component: group.component)
        var annotations = deployLabels(group)
        if !result.dependencies.isEmpty {
            annotations[Keys.dependsOn] = result.dependencies
                .map { "\($0.workload)=\($0.condition.rawValue)" }.joined(separator: ",")
        }
        if let job = group.job { annotations[Keys.job] = job }
        let metadata = metadata(group.name, labels: labels, annotations: annotations)
        let template = template(pod, labels: labels, dependsOn: annotations[Keys.dependsOn])
        reportAttempts(group)
        switch first.kind {
        case .job(let limit):
            reportUpdates(group, kind: .job, strategy: nil)
            let job = job(first, metadata: metadata, backoffLimit: limit, template: template)
            guard let schedule = first.schedule else { return .job(job) }
            checkScheduledName(first, group.name)
            return .cronJob(cronJob(job, first, schedule))
        case .daemonSet:
            var spec = DaemonSetSpec(selector: LabelSelector(matchLabels: selector(group.name)), template: template)
            spec.minReadySeconds = minReadySeconds(first)
            spec.updateStrategy = strategy(ofDaemonSet: first, pod: pod)
            let isInPlace = spec.updateStrategy?.rollingUpdate?.maxSurge == 0
            reportUpdates(group, kind: .daemonSet, strategy: isInPlace ? .recreate : nil)
            return .daemonSet(DaemonSet(metadata: metadata, spec: spec))
        case .deployment, .initContainer:
            let replicas = replicas(group)
            var spec = DeploymentSpec(
                replicas: replicas, selector: LabelSelector(matchLabels: selector(group.name)),
                strategy: strategy(group, pod: pod, replicas: replicas), template: template)
            spec.minReadySeconds = minReadySeconds(first)
            spec.progressDeadlineSeconds = progressDeadlineSeconds(first)
            reportUpdates(group, kind: .deployment, strategy: spec.strategy)
            return .deployment(Deployment(metadata: metadata, spec: spec))
        }
    }

    private func template(_ pod: PodDraft, labels: StringMap, dependsOn: String?) -> PodTemplateSpec {
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

    private mutating func deployLabels(_ group: Group) -> [String: String] {
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
}
