import Compose
import KubernetesObjects
import OrderedCollections

/// Renders the workload of one group's pods.
struct WorkloadStep: StoringStep {
    let inputs: PodInputs
    /// The place of the group.
    let index: Int
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> (workload: Workload, object: KubernetesObject) {
        let group = groups[index]
        let first = workloads[group.workloads[0]]
        var result = Workload(
            name: group.name, kind: kind(first), component: group.component,
            services: group.workloads.map { workloads[$0].service.name })
        result.dependencies = DependencyStep(inputs: inputs, index: index).run(reporting: &reports)
        result.isStackJob = group.job != nil
        result.completes = completes(first)
        result.hostnames = Dictionary(
            group.workloads.map { (workloads[$0].service.name, hostnames(workloads[$0])) }
        ) { first, _ in first }
        var pod = PodDraft()
        let containers = group.initWorkloads.map { ($0, true) } + group.workloads.map { ($0, false) }
        for (index, runsFirst) in containers {
            ContainerStep(inputs: inputs, workload: workloads[index], runsFirst: runsFirst)
                .run(on: &pod, storing: &shared, reporting: &reports)
        }
        PodFinishStep(inputs: inputs, group: group).run(on: &pod, reporting: &reports)
        (result.startPeriods, result.podman) = (pod.startPeriods, pod.podman)
        result.podman.networks = AttachmentStep(inputs: inputs, group: group)
            .run(storing: &shared, reporting: &reports)
        result.podman.staysEnded =
            result.kind == .deployment && group.workloads.allSatisfy { !workloads[$0].service.saysRestart }
        let object = ControllerStep(inputs: inputs, workload: result, group: group, pod: pod).run(reporting: &reports)
        return (result, object)
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
}
