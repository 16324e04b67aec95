import KubernetesClient
import Rendering

extension ClusterStartOperation {
    /// What a deletion that was under way took since it was applied is made again, and waited for.
    func restoreVanished(attempts: Int = 3) async throws(DeploymentError) {
        let now = try await session.observe()
        let lost = plan.decisions.filter { decision in
            guard !decision.object.node.isEmptyMapping, isChosen(decision) else { return false }
            return now.objects[decision.object.key]?.isTerminating ?? true
        }
        guard !lost.isEmpty else { return }
        guard attempts > 0 else { throw deletedByOthers(lost.map(\.object.key)) }
        for decision in lost { events(Event(decision.object.workload, .replacing(reason: Self.vanished))) }
        var again = self
        again.plan.decisions = lost.map { decision in
            var decision = decision
            decision.action = .create
            return decision
        }
        again.selected = Set(lost.compactMap(\.object.workload))
        try await again.applyBase()
        try await again.bringWorkloadsUp()
        try await restoreVanished(attempts: attempts - 1)
    }

    static let vanished = "it was deleted while the deployment started"

    private func isChosen(_ decision: ClusterPlan.Decision) -> Bool {
        decision.object.workload.map { name in workloads.contains { $0.name == name } } ?? true
    }

    private func deletedByOthers(_ keys: [ObjectKey]) -> DeploymentError {
        DeploymentError(
            .failed, "\(keys.map(\.description).joined(separator: ", ")): deleted again and again while it started",
            hint: "see who deletes it: another `so deployment stop`, or a controller of the cluster")
    }

    /// Makes a workload again that has gone, or is going, since it was applied.
    func restore(_ decision: ClusterPlan.Decision, _ state: ClusterState) async throws(DeploymentError) {
        let key = decision.object.key
        let live = try await session.call { () async throws(KubernetesError) in
            try await session.client.get(key.type, key.name, namespace: key.namespace)
        }
        if let live, !live.isTerminating { return await state.takeAnswer(key.type, live) }
        events(Event(decision.object.workload, .replacing(reason: Self.vanished)))
        if let live { try await session.awaitGone(key, live: live) }
        var decision = decision
        decision.action = .create
        let applied = try await apply(decision)
        await state.takeAnswer(key.type, applied)
        await state.madeProgress()
    }
}
