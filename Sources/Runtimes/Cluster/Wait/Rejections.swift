import KubernetesClient
import Rendering
import YAML

extension LiveObject {
    /// Why a kubelet refused or ended the pod as a whole: its own reason and words. What containers end with is told by their statuses.
    /// https://kubernetes.io/docs/reference/node/kubelet-pod-admission/
    var rejection: (reason: String, message: String)? {
        guard podPhase == "Failed", let reason = status?["reason"]?.text, !reason.isEmpty,
            reason != "DeadlineExceeded"
        else { return nil }
        return (reason, status?["message"]?.text ?? "the kubelet says no more")
    }

    var nodeName: String? { spec?["nodeName"]?.text }
}

extension WorkloadView {
    /// What a kubelet says each time of the same pod template: another pod changes nothing.
    private static let lasting: Set = [
        "SysctlForbidden", "AppArmor", "ProcMount", "PodOSNotSupported", "InvalidNodeInfo", "UnsupportedPodSpec",
    ]

    /// The pods that kubelets have rejected since the operation began, as one symptom.
    ///
    /// The controller puts another pod in the place of each at once, so that a workload would wait for ever and the rejected pods pile up.
    /// A single one may be an accident: a node that is just coming up, or is full for a moment.
    func rejections(_ patience: Patience) -> [Symptom] {
        guard !currentPods.contains(where: { !$0.isTerminating && ["Running", "Succeeded"].contains($0.podPhase) })
        else { return [] }
        let rejected = currentPods.filter { $0.rejection != nil && !formerFailures.contains($0.uid) }
        guard let object, let pod = rejected.max(by: { ($0.creationTimestamp ?? "") < ($1.creationTimestamp ?? "") }),
            let rejection = pod.rejection
        else { return [] }
        let isLasting = Self.lasting.contains(rejection.reason) || rejected.count > 1
        let place = pod.nodeName.map { "the node \($0) rejects its pod" } ?? "its pod is rejected"
        return [
            Symptom(
                id: "\(object.uid)/rejected", kind: .rejected,
                reason: "\(place) (\(rejection.reason)): \(rejection.message)", hint: hint(rejection.reason, pod),
                pod: pod.name, patience: isLasting ? 0 : patience.rejection)
        ]
    }

    private func hint(_ reason: String, _ pod: LiveObject) -> String {
        switch reason {
        case "SysctlForbidden":
            let names = (pod.spec?.at("securityContext", "sysctls")?.sequence ?? []).compactMap { $0["name"]?.text }
                .filter { !isSafeSysctl($0) }
            return "leave out `sysctls: \(names.joined(separator: ", "))`, or allow them on the nodes: kubelet "
                + "--allowed-unsafe-sysctls=\(names.joined(separator: ","))"
        case let reason where reason.hasPrefix("OutOf"):
            return "ask for less (`resources` in spec.yml), or make room: kubectl describe node \(pod.nodeName ?? "")"
        default: return "kubectl describe pod \(pod.name) -n \(pod.namespace ?? "")"
        }
    }
}
