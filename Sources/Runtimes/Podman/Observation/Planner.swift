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
    var networks: [String]

    /// As shown to the user.
    var summary: Plan {
        var items: [Plan.Item] = []
        let isFresh = decisions.allSatisfy { $0.existing == nil } && dropped.isEmpty
        if isFresh { items += networks.map { Plan.Item(kind: "network", name: $0, action: .create) } }
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
        let chosen = model.selection(options.services, leavesDependencies: options.leavesDependencies)
        let pods = preparation.translation.pods.filter { chosen?.contains($0.workload) ?? true }
        var decisions = pods.map { decide($0, model, preparation, observed, keepsChanged: options.keepsChanged) }
        for index in decisions.indices
        where options.replacesAll && (options.replacesEnded || !decisions[index].pod.isJob) {
            guard [.keep, .start].contains(decisions[index].action),
                options.spared.isDisjoint(with: decisions[index].pod.services + [decisions[index].pod.workload])
            else { continue }
            decisions[index].action = .replace
            decisions[index].reason = "it is restarted"
        }
        propagateRestarts(&decisions, model)
        let dropped = preparation.superfluous(in: observed).filter {
            !model.isInactive($0) && (!options.keepsOrphans || !preparation.isOrphan($0))
        }
        return PodmanPlan(
            decisions: decisions, dropped: dropped,
            volumes: preparation.translation.volumes, networks: model.podmanNetworks.map(\.name))
    }

    private static func decide(
        _ pod: PodmanPod, _ model: DeploymentModel, _ preparation: Preparation, _ observed: Observed,
        keepsChanged: Bool
    ) -> PodDecision {
        let containers = observed.containers(ofPod: pod.name)
        let existing = observed.pod(pod.name)
        let kept = keepsChanged ? existing?.label(PodmanNames.fingerprint) : nil
        let fingerprint = kept ?? Fingerprint.of(pod, images: observed.imageIDs, key: preparation.key)
        var decision = PodDecision(
            pod: pod, action: .keep, fingerprint: fingerprint, existing: existing, containers: containers)
        let main = containers.filter { $0.label(PodmanNames.role) == "main" }
        let isDone = !main.isEmpty && main.allSatisfy { $0.hasEnded && $0.ExitCode == 0 }
        if isDone, model.completedJobs.contains(pod.workload) { return decision }
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
        if pod.mayEnd, main.allSatisfy({ $0.State == "running" || $0.hasEnded && $0.ExitCode == 0 }) {
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

extension DeploymentModel {
    /// Whether a pod runs a service of a compose project whose profile is inactive.
    func isInactive(_ pod: PodmanPodRecord) -> Bool {
        pod.label(PodmanNames.workload).map(inactiveServices.contains) ?? false
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
