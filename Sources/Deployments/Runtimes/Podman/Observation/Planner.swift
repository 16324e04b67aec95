import ExternalTools
import Rendering

/// The decision: what becomes of each pod. Pure.
struct PodDecision: Sendable {
    var pod: PodmanPod
    var action: Plan.Action
    var reason: String?
    var fingerprint: String
    /// What there is of it now.
    var existing: PodmanPodRecord?
    var containers: [PodmanContainerRecord]
}

/// A plan for podman, with all that its execution needs.
struct PodmanPlan: Sendable {
    var decisions: [PodDecision]
    /// Pods of this deployment that nothing asks for any more.
    var dropped: [PodmanPodRecord]
    var volumes: [String]
    var network: String

    /// As shown to the user.
    var summary: Plan {
        var items: [Plan.Item] = []
        let isFresh = decisions.allSatisfy { $0.existing == nil } && dropped.isEmpty
        if isFresh { items.append(Plan.Item(kind: "network", name: network, action: .create)) }
        for decision in decisions {
            items.append(
                Plan.Item(
                    kind: "pod", name: decision.pod.name, service: decision.pod.workload, action: decision.action,
                    reason: decision.reason))
        }
        for pod in dropped {
            items.append(
                Plan.Item(
                    kind: "pod", name: pod.Name, service: pod.label(PodmanNames.workload), action: .remove,
                    reason: "the stack dropped it"))
        }
        return Plan(items: items)
    }
}

enum Planner {
    static func plan(
        _ model: DeploymentModel, _ preparation: Preparation, _ observed: Observed,
        _ options: StartOptions = StartOptions()
    ) -> PodmanPlan {
        let pods = selected(preparation.translation.pods, model, options)
        var decisions = pods.map { decide($0, preparation, observed, keepsChanged: options.keepsChanged) }
        for index in decisions.indices where options.replacesAll && !decisions[index].pod.isJob {
            guard [.keep, .start].contains(decisions[index].action),
                options.spared.isDisjoint(with: decisions[index].pod.services + [decisions[index].pod.workload])
            else { continue }
            decisions[index].action = .replace
            decisions[index].reason = "it is restarted"
        }
        propagateRestarts(&decisions, model)
        let dropped = preparation.superfluous(in: observed).filter {
            !options.keepsOrphans || !preparation.isOrphan($0)
        }
        return PodmanPlan(
            decisions: decisions, dropped: dropped,
            volumes: preparation.translation.volumes, network: model.namespace)
    }

    /// The pods of the chosen services, and of all that they depend on where that is not to be left alone.
    private static func selected(
        _ pods: [PodmanPod], _ model: DeploymentModel, _ options: StartOptions
    ) -> [PodmanPod] {
        let services = options.services
        guard !services.isEmpty else { return pods }
        var names: Set<String> = []
        var queue = model.rendered.workloads.filter { workload in
            services.contains { $0 == workload.name || workload.services.contains($0) }
        }
        while let workload = queue.popLast() {
            guard names.insert(workload.name).inserted else { continue }
            guard !options.leavesDependencies else { continue }
            let next = Set(workload.dependencies.map(\.workload))
            queue += model.rendered.workloads.filter { next.contains($0.name) }
        }
        return pods.filter { names.contains($0.workload) }
    }

    private static func decide(
        _ pod: PodmanPod, _ preparation: Preparation, _ observed: Observed, keepsChanged: Bool
    ) -> PodDecision {
        let containers = observed.containers(ofPod: pod.name)
        let existing = observed.pod(pod.name)
        let kept = keepsChanged ? existing?.label(PodmanNames.fingerprint) : nil
        let fingerprint = kept ?? Fingerprint.of(pod, images: observed.imageIDs, key: preparation.key)
        var decision = PodDecision(
            pod: pod, action: .keep, fingerprint: fingerprint, existing: existing, containers: containers)
        (decision.action, decision.reason) = verdict(pod, fingerprint, existing, containers, observed)
        return decision
    }

    private static func verdict(
        _ pod: PodmanPod, _ fingerprint: String, _ existing: PodmanPodRecord?, _ containers: [PodmanContainerRecord],
        _ observed: Observed
    ) -> (Plan.Action, String?) {
        guard let existing else { return (.create, "it does not exist") }
        guard existing.label(PodmanNames.fingerprint) == fingerprint else {
            return (.replace, "its definition changed")
        }
        let expected = Set(pod.all.map(\.name))
        guard Set(containers.map(\.name)) == expected,
            containers.allSatisfy({ $0.label(PodmanNames.fingerprint) == fingerprint })
        else { return (.replace, "it is incomplete") }
        let main = containers.filter { $0.label(PodmanNames.role) == "main" }
        if main.allSatisfy({ $0.State == "running" }) { return (.keep, nil) }
        if pod.isJob, main.allSatisfy({ $0.State == "running" || $0.hasEnded && $0.ExitCode == 0 }) {
            return (.keep, nil)
        }
        if pod.isJob { return (.replace, "it failed") }
        let stopped = main.allSatisfy { $0.State == "running" || $0.hasEnded }
        if stopped, pod.steps.isEmpty, !pod.hasInfra { return (.start, "it is stopped") }
        return (.replace, "it is not running")
    }

    /// `depends_on: {restart: true}`: whoever depends on what is replaced is replaced too.
    private static func propagateRestarts(_ decisions: inout [PodDecision], _ model: DeploymentModel) {
        var changed = true
        while changed {
            changed = false
            let replaced = Set(decisions.filter { $0.action == .replace }.map(\.pod.workload))
            for index in decisions.indices where [.keep, .start].contains(decisions[index].action) {
                let workload = model.rendered.workloads.first { $0.name == decisions[index].pod.workload }
                let cause = workload?.dependencies.first { $0.restart && replaced.contains($0.workload) }
                guard let cause, !decisions[index].pod.isJob else { continue }
                decisions[index].action = .replace
                decisions[index].reason = "\(cause.workload), which it depends on, is replaced"
                changed = true
            }
        }
    }
}

extension Preparation {
    /// The pods that nothing asks for any more.
    func superfluous(in observed: Observed) -> [PodmanPodRecord] {
        let wanted = Set(translation.pods.map(\.name))
        return observed.pods.filter { !wanted.contains($0.Name) }
    }

    /// Whether the pod's service is gone; a replica too many is none.
    func isOrphan(_ pod: PodmanPodRecord) -> Bool {
        !translation.pods.contains { $0.workload == pod.label(PodmanNames.workload) }
    }
}

extension PodmanContainerRecord {
    /// Whether it ran, and ended.
    var hasEnded: Bool { State == "exited" || State == "stopped" }
}
