import Compose
import KubernetesObjects

/// A pod while its containers are added.
struct PodDraft {
    var spec = PodSpec()
    var labels: [String: String] = [:]
    var annotations: [String: String] = [:]
    /// See ``Workload/startPeriods``.
    var startPeriods: [String: Int] = [:]
    var podman = PodmanSettings()
    /// Whether a claim is mounted that only one node can have.
    var mountsExclusiveVolume = false
    var hasHostPorts = false
    /// Which service set each key that the whole pod shares.
    var owners: [String: String] = [:]
    /// Which container listens on each `80/TCP`.
    var listeners: [String: String] = [:]
    /// Volumes by name, with their place in `spec.volumes`.
    private var volumeIndex: [String: Int] = [:]

    init() {}

    /// Adds a volume, or finds the equal one that is there. A different one of the same name gets a number.
    mutating func add(_ volume: PodVolume) -> String {
        var volume = volume
        let base = volume.name
        var number = 2
        while let index = volumeIndex[volume.name] {
            if spec.volumes?[index] == volume { return volume.name }
            volume.name = Names.label("\(base)-\(number)")
            number += 1
        }
        var volumes = spec.volumes ?? []
        volumeIndex[volume.name] = volumes.count
        volumes.append(volume)
        spec.volumes = volumes
        return volume.name
    }
}

extension PodDraft {
    /// A node must meet the requirement.
    mutating func require(_ requirement: LabelSelectorRequirement) {
        let terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
        var requirements = terms?.first?.matchExpressions ?? []
        if !requirements.contains(requirement) { requirements.append(requirement) }
        spec.affinity = Affinity(required: requirements)
    }

    /// Mounts a bundle at a path: one file by subPath, a directory as a whole.
    mutating func mount(_ bundle: FileBundle, at target: String, mode: Int? = nil) -> PodMount {
        var items = bundle.items
        if let mode { for index in items.indices { items[index].mode = mode } }
        var volume = PodVolume(name: bundle.configMap)
        volume.configMap = ConfigMapVolumeSource(name: bundle.configMap, items: items)
        let path = bundle.isFile ? bundle.items.first?.path : nil
        return PodMount(name: add(volume), mountPath: target, subPath: path, readOnly: true)
    }

    /// Mounts a directory in memory, of one service.
    mutating func mountMemory(_ target: String, size: Int64?, of workload: ServiceWorkload) -> PodMount {
        var volume = PodVolume(name: Names.label("\(workload.name)-tmpfs\(target)"))
        volume.emptyDir = EmptyDirVolumeSource(medium: "Memory", sizeLimit: size.map(Quantities.bytes))
        return PodMount(name: add(volume), mountPath: target)
    }

    /// Mounts one key of a Secret as a file.
    mutating func mountSecret(_ name: String, key: String, at target: String, mode: Int) -> PodMount {
        var volume = PodVolume(name: Names.label("secret-\(name)"))
        volume.secret = SecretVolumeSource(secretName: name, items: [KeyToPath(key: key, path: key, mode: mode)])
        return PodMount(name: add(volume), mountPath: target, subPath: key, readOnly: true)
    }
}

extension DraftingStep {
    /// Sets what all containers of a pod share; services that want different things are an error naming both.
    mutating func set<Value: Equatable>(
        _ field: WritableKeyPath<PodSpec, Value?>, to value: Value, key: String, of workload: ServiceWorkload
    ) {
        if let owner = pod.owners[key], pod.spec[keyPath: field] != value {
            refuse(
                workload, key, "it differs from that of \(owner), which shares its pod",
                hint: "write the same for both, or give them separate pods")
            return
        }
        pod.spec[keyPath: field] = value
        pod.owners[key] = workload.service.name
    }
}
