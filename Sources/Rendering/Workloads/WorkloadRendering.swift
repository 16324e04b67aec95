import Compose
import KubernetesObjects
import OrderedCollections

extension Renderer {
    /// Renders one pod's workload, and records it.
    mutating func renderWorkload(_ index: Int, workload list: inout [Workload]) -> KubernetesObject {
        let group = groups[index]
        let first = units[group.units[0]]
        var workload = Workload(
            name: group.name, kind: kind(first), component: group.component,
            services: group.units.map { units[$0].service.name })
        workload.dependencies = dependencies(of: index)
        workload.isStackJob = group.job != nil
        workload.completes = completes(first)
        workload.hostnames = Dictionary(
            group.units.map { (units[$0].service.name, hostnames(units[$0])) }
        ) { first, _ in first }
        var pod = PodDraft()
        for unit in group.initUnits { addInitContainer(units[unit], to: &pod) }
        for unit in group.units { addContainer(units[unit], to: &pod) }
        finish(&pod, group: group)
        (workload.startPeriods, workload.podman) = (pod.startPeriods, pod.podman)
        workload.podman.networks = attachments(group)
        workload.podman.staysEnded =
            workload.kind == .deployment && group.units.allSatisfy { !units[$0].service.saysRestart }
        list.append(workload)
        return object(for: workload, first: first, group: group, pod: pod)
    }

    private func kind(_ unit: ServiceWorkload) -> Workload.Kind {
        switch unit.fate {
        case .job: unit.schedule == nil ? .job : .cronJob
        case .daemonSet: .daemonSet
        case .deployment, .initContainer: .deployment
        }
    }

    private func completes(_ unit: ServiceWorkload) -> Bool {
        guard unit.isJob else { return false }
        let mode = unit.service.deploy?.mode
        return unit.job != nil || unit.isAwaited || mode == .replicatedJob || mode == .globalJob
    }

    /// A policy of `any` restarts for ever, whatever limit stands beside it.
    private mutating func reportAttempts(_ group: Group) {
        for index in group.units {
            let unit = units[index]
            guard let policy = unit.service.deploy?.restartPolicy, (policy.maxAttempts ?? 0) > 0,
                policy.condition == nil || policy.condition == "any"
            else { continue }
            report(
                unit, "deploy.restart_policy.max_attempts", "a service that is always restarted is so without a limit",
                hint: "write `condition: on-failure`, or remove it")
        }
    }

    private mutating func object(
        for workload: Workload, first: ServiceWorkload, group: Group, pod: PodDraft
    ) -> KubernetesObject {
        let labels = labels(group.name, component: group.component)
        var annotations = deployLabels(group)
        if !workload.dependencies.isEmpty {
            annotations[Keys.dependsOn] = workload.dependencies
                .map { "\($0.workload)=\($0.condition.rawValue)" }.joined(separator: ",")
        }
        if let job = group.job { annotations[Keys.job] = job }
        let metadata = metadata(group.name, labels: labels, annotations: annotations)
        let template = template(pod, labels: labels, dependsOn: annotations[Keys.dependsOn])
        reportAttempts(group)
        switch first.fate {
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
        _ unit: ServiceWorkload, metadata: ObjectMeta, backoffLimit: Int, template: PodTemplateSpec
    ) -> Job {
        var template = template
        // What is tried again is tried in its own pod, which keeps its address and its temporary files.
        template.spec.restartPolicy = backoffLimit > 0 ? "OnFailure" : "Never"
        var spec = JobSpec(backoffLimit: min(backoffLimit, Int(Int32.max)), template: template)
        if let count = unit.service.deploy?.replicas ?? unit.service.scale, count > 1 {
            spec.completions = count
            spec.parallelism = count
        }
        if unit.service.deploy?.mode == .globalJob {
            report(unit, "deploy.mode", "the job runs once, not once on every node")
        }
        return Job(metadata: metadata, spec: spec)
    }

    private mutating func deployLabels(_ group: Group) -> [String: String] {
        var result: [String: String] = [:]
        for index in group.units {
            let unit = units[index]
            for (key, value) in unit.service.deploy?.labels ?? [:] where isAnnotation(key, "deploy.labels", unit) {
                result[key] = value
            }
        }
        return result
    }
}
