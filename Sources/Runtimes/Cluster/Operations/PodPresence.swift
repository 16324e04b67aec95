import KubernetesClient
import YAML

/// Whether a pod is still there that something goes on in. Nobody closes the connections into a pod whose node has vanished: who follows one would wait for
/// ever.
struct PodPresence: Sendable {
    let pod: String
    let interval: Duration
    /// The pod as it is now; nil where there is none.
    let look: @Sendable () async throws(DeploymentError) -> LiveObject?

    /// Runs the body, and ends it where the pod is lost.
    ///
    /// - Throws: `DeploymentError` (`unavailable`) then.
    func whileThere<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) async throws(DeploymentError) -> Result {
        do {
            return try await withThrowingTaskGroup(of: Result?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try await awaitLoss()
                    return nil
                }
                defer { group.cancelAll() }
                guard let result = try await group.next() ?? nil else { throw CancellationError() }
                return result
            }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }

    /// A state has to last: a node may be away for a moment, and a pod that ends has its grace.
    private func awaitLoss() async throws {
        var since: (reason: String, begin: ContinuousClock.Instant)?
        while true {
            try await Task.sleep(for: interval)
            let found: LiveObject?
            do {
                found = try await look()
            } catch {
                // A cluster that does not answer says nothing about the pod.
                if error.code == .cancelled { throw error }
                continue
            }
            guard let loss = Self.loss(found) else {
                since = nil
                continue
            }
            let begin = since.flatMap { $0.reason == loss.reason ? $0.begin : nil } ?? .now
            since = (loss.reason, begin)
            guard begin.duration(to: .now) >= max(interval / 2, loss.patience) else { continue }
            throw DeploymentError(
                .unavailable, "the pod \(pod) is lost", cause: loss.reason, hint: "so deployment status shows its pods")
        }
    }

    /// Why a pod is taken for lost, and how long that has to last; nil: it is there.
    static func loss(_ pod: LiveObject?) -> (reason: String, patience: Duration)? {
        guard let pod else { return ("it is gone", .zero) }
        let node = pod.nodeName ?? "its node"
        if pod.podPhase == "Unknown" { return ("\(node) does not say how it is", .zero) }
        // Said by the cluster where a node stops reporting: the kubelet itself would say the same of the containers.
        let hasGates = !(pod.spec?["readinessGates"]?.sequence ?? []).isEmpty
        if pod.condition("Ready")?["status"]?.text == "False", pod.isTrue("ContainersReady"), !hasGates {
            return ("\(node) cannot be reached", .zero)
        }
        guard pod.isTerminating else { return nil }
        let grace = pod.metadata?["deletionGracePeriodSeconds"]?.intValue ?? 30
        return ("it was to end, and \(node) does not say that it has", .seconds(grace + 30))
    }
}

extension ClusterSession {
    func presence(of pod: String) -> PodPresence {
        PodPresence(pod: pod, interval: presenceInterval) { () async throws(DeploymentError) in
            try await call { () async throws(KubernetesError) in try await client.get(.pods, pod, namespace: namespace)
            }
        }
    }
}

extension ClusterRuntime {
    /// Each look opens a new connection to the cluster: most of what runs in a pod is over before the first.
    func presence(of pod: String, in deployment: DeploymentModel) -> PodPresence {
        PodPresence(pod: pod, interval: presenceInterval) { () async throws(DeploymentError) in
            try await withSession(deployment) { session async throws(DeploymentError) in
                try await session.call { () async throws(KubernetesError) in
                    try await session.client.get(.pods, pod, namespace: session.namespace)
                }
            }
        }
    }
}
