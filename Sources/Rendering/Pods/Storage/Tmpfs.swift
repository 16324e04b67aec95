import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Mounts one directory in memory.
struct TmpfsStep: DraftingStep {
    let inputs: PodInputs
    let tmpfs: TmpfsMount
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    /// Flags of a mount; those that forbid are podman's alone: whatever lies in an emptyDir can be run.
    private static let flags: Set = ["rw", "ro", "exec", "noexec", "suid", "nosuid", "dev", "nodev"]
    private static let forbidding: Set = ["noexec", "nosuid", "nodev"]

    mutating func run() -> PodMount {
        var known = tmpfs.options.filter(Self.flags.contains)
        if can(.containerSettings) {
            if !known.isEmpty { pod.podman[workload.name].memoryFlags[tmpfs.target] = known }
        } else {
            known.removeAll(where: Self.forbidding.contains)
        }
        let lost = tmpfs.options.filter { !known.contains($0) }
        if !lost.isEmpty {
            report(
                workload, "tmpfs", at: tmpfs.mark,
                "\(tmpfs.target): \(lost.joined(separator: ",")) has no equivalent and is left out")
        }
        if let mode = tmpfs.mode { setMode(mode, of: tmpfs.target, "tmpfs", at: tmpfs.mark, workload) }
        var mount = pod.mountMemory(tmpfs.target, size: tmpfs.size, of: workload)
        if known.last(where: { ["rw", "ro"].contains($0) }) == "ro" { mount.readOnly = true }
        return mount
    }
}

extension DraftingStep {
    /// A directory in memory has the mode 1777, and on Kubernetes no other.
    mutating func setMode(
        _ mode: UInt32, of target: String, _ key: String, at mark: Mark, _ workload: ServiceWorkload
    ) {
        let digits = String(mode, radix: 8)
        if can(.containerSettings) {
            pod.podman[workload.name].modes[target] = mode
        } else if mode & 0o777 != 0o777 {
            report(
                workload, key, at: mark, "\(target): the mode \(digits) has no equivalent: everybody may write there")
        }
    }
}
