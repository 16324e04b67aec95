import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Volumes in memory.
extension PodStage {
    mutating func reportTmpfsOptions(_ tmpfs: TmpfsMount, _ workload: ServiceWorkload) {
        let lost = tmpfs.options.filter { !["rw", "nosuid", "nodev", "noexec"].contains($0) }
        guard !lost.isEmpty else { return }
        report(
            workload, "tmpfs", at: tmpfs.mark,
            "\(tmpfs.target): \(lost.joined(separator: ",")) has no equivalent and is left out")
    }

    /// A directory in memory has the mode 1777, and on Kubernetes no other.
    mutating func setMode(
        _ mode: UInt32, of target: String, _ key: String, at mark: Mark, _ workload: ServiceWorkload,
        pod: inout PodDraft
    ) {
        let digits = String(mode, radix: 8)
        if can(.containerSettings) {
            pod.podman[workload.name].modes[target] = mode
        } else if mode & 0o777 != 0o777 {
            report(
                workload, key, at: mark, "\(target): the mode \(digits) has no equivalent: everybody may write there")
        }
    }

    func memory(_ target: String, size: Int64?, _ workload: ServiceWorkload, pod: inout PodDraft) -> PodMount {
        var volume = PodVolume(name: Names.label("\(workload.name)-tmpfs\(target)"))
        volume.emptyDir = EmptyDirVolumeSource(medium: "Memory", sizeLimit: size.map(Quantities.bytes))
        return PodMount(name: pod.add(volume), mountPath: target)
    }
}
