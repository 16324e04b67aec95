import KubernetesClient
import Rendering
import YAML

extension ClusterSession {
    /// Has pods made again that an earlier start has left waiting for what kept them from beginning, such as an image.
    ///
    /// What they say is of then, and the kubelet tries again only every few minutes; a new pod is tried at once, and what it says is of this start.
    func renewUnbegunPods(of workloads: [Workload]) async throws(DeploymentError) {
        let names = Set(workloads.filter { [.deployment, .daemonSet].contains($0.kind) }.map(\.name))
        let pods = try await call { () async throws(KubernetesError) in
            try await client.list(.pods, Selection(namespace: namespace, labels: "\(Keys.instance)=\(model.id)")).items
        }
        _ = try await each(pods.filter { names.contains($0.labels[Keys.name] ?? "") && $0.isKeptFromBeginning }) {
            pod async throws(DeploymentError) in
            do throws(KubernetesError) {
                try await client.delete(.pods, pod.name, namespace: namespace, uid: pod.uid, graceSeconds: 0)
            } catch {
                // Without the right to it, or where somebody was faster, the pod is judged as it stands.
                guard [.forbidden, .conflict].contains(error.code) else { throw DeploymentError(error) }
            }
        }
    }
}

extension LiveObject {
    /// Whether a kubelet has tried to begin the pod and could not: none of its containers has ever run, so that nothing is lost with it.
    fileprivate var isKeptFromBeginning: Bool {
        let hasBegun = containerStatuses.contains { status in
            status.at("state", "waiting") == nil || status["restartCount"]?.intValue ?? 0 > 0
        }
        guard !isTerminating, !hasBegun else { return false }
        return (initStatuses + containerStatuses).contains { status in
            status.at("state", "waiting", "reason")?.text.map { Self.kept.contains($0) } ?? false
        }
    }

    private static let kept: Set = [
        "ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "RegistryUnavailable", "SignatureValidationFailed",
        "ImageInspectError", "CreateContainerConfigError", "CreateContainerError",
    ]
}
