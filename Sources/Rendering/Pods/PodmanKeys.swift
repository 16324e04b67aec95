import Compose
import KubernetesObjects
import OrderedCollections

/// Renders what podman can do and Kubernetes cannot.
struct PodmanSettingStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        guard can(.containerSettings) else { return }
        let service = workload.service
        var settings = pod.podman[workload.name]
        settings.user = namedUser(workload)
        settings.limits = service.ulimits.map {
            PodmanSettings.Limit(name: $0.key, soft: $0.value.soft, hard: $0.value.hard)
        }
        if !service.ulimits.isEmpty { isMapped("ulimits", to: "limits of the container") }
        addLimits(to: &settings)
        settings.groups = service.groupAdd.filter { Names.userNumber($0) == nil }
        pod.podman[workload.name] = settings
        if let hostname = service.hostname, hostname != pod.spec.hostname, pod.spec.hostname != nil {
            pod.podman.hostname = hostname
        }
    }

    /// With podman's names for them: https://docs.podman.io/en/latest/markdown/podman-run.1.html
    private mutating func addLimits(to settings: inout PodmanSettings.Container) {
        let service = workload.service
        let deployed = service.deploy?.resources?.limits
        func take<Value>(_ value: Value?, _ key: String, _ option: String) -> Value? {
            if value != nil { isMapped(key, to: "podman run --\(option)") }
            return value
        }
        settings.processes = take(service.pidsLimit ?? deployed?.pids, "pids_limit", "pids-limit")
        _ = take(settings.processes, "deploy.resources.limits.pids", "pids-limit")
        settings.killScore = take(service.oomScoreAdj, "oom_score_adj", "oom-score-adj")
        settings.processors = take(service.cpuset, "cpuset", "cpuset-cpus")
        // Podman takes a limit of memory and swap only beside one of memory.
        let hasMemory = service.memLimit != nil || deployed?.memory != nil
        settings.swap = take(hasMemory ? service.memswapLimit : nil, "memswap_limit", "memory-swap")
        settings.swappiness = take(service.memSwappiness, "mem_swappiness", "memory-swappiness")
    }

    private mutating func isMapped(_ key: String, to what: String) {
        reports[workload, key] = .mapped(what)
    }
}
