import Compose
import KubernetesObjects
import OrderedCollections

extension Renderer {
    /// What podman can do and Kubernetes cannot stands in annotations of the pod, which the podman runtime reads.
    mutating func addPodmanSettings(_ unit: Unit, to pod: inout PodDraft) {
        guard options.target == .podman else { return }
        let service = unit.service
        if let user = namedUser(unit) { pod.annotations[Keys.user + unit.name] = user }
        if !service.ulimits.isEmpty {
            pod.annotations[Keys.ulimits + unit.name] = service.ulimits
                .map { "\($0.key)=\($0.value.soft):\($0.value.hard)" }.joined(separator: ",")
            decided[DecidedKey(unit: unit.index, key: "ulimits")] = .mapped("limits of the container")
        }
        if let hostname = service.hostname, hostname != pod.spec.hostname, pod.spec.hostname != nil {
            pod.annotations[Keys.hostname] = hostname
        }
        for (key, name, value) in limits(service) {
            guard let value else { continue }
            addSetting("\(name)=\(value)", unit, to: &pod)
            decided[DecidedKey(unit: unit.index, key: key)] = .mapped("podman run --\(name)")
            guard key == "pids_limit" else { continue }
            decided[DecidedKey(unit: unit.index, key: "deploy.resources.limits.pids")] = .mapped("podman run --\(name)")
        }
        for group in service.groupAdd where userNumber(group) == nil {
            addSetting("group-add=\(group)", unit, to: &pod)
        }
    }

    /// The keys, with podman's names for them: https://docs.podman.io/en/latest/markdown/podman-run.1.html
    private func limits(_ service: ComposeService) -> [(key: String, name: String, value: String?)] {
        let deployed = service.deploy?.resources?.limits
        let hasMemory = service.memLimit != nil || deployed?.memory != nil
        let swap = hasMemory ? service.memswapLimit : nil
        let pids = service.pidsLimit ?? deployed?.pids
        return [
            ("pids_limit", "pids-limit", pids.map { String($0) }),
            ("oom_score_adj", "oom-score-adj", service.oomScoreAdj.map { String($0) }),
            ("cpuset", "cpuset-cpus", service.cpuset),
            ("memswap_limit", "memory-swap", swap.map { String($0) }),
            ("mem_swappiness", "memory-swappiness", service.memSwappiness.map { String($0) }),
        ]
    }

    /// Adds one `option=value` for the service's container.
    func addSetting(_ setting: String, _ unit: Unit, to pod: inout PodDraft) {
        let key = Keys.podman + unit.name
        pod.annotations[key] = [pod.annotations[key], setting].compactMap(\.self).joined(separator: "\n")
    }
}
