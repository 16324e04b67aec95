import Compose
import KubernetesObjects
import Specs
import YAML

/// Mounts a path of the host as it stands.
struct HostPathStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let source: String
    let mount: ComposeMount
    let workload: ServiceWorkload
    /// Whether what is not there is made.
    var isCreated = false
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> PodMount {
        let parts = (mount.writtenSource ?? source).split(separator: "/").filter {
            $0 != "." && $0 != ".." && $0 != "~"
        }
        if let digest = options.writtenContent(source) {
            pod.podman.writtenContent.insert(digest)
            // An object that differs is what makes a cluster replace the pods.
            if !can(.containerSettings) { pod.annotations[Keys.writtenContent] = pod.podman.writtenContentText }
        }
        note(source, isWritten: !mount.isReadOnly, isOwn: !isOutside(mount, of: workload), of: workload, at: mount.mark)
        var volume = PodVolume(name: Names.label("host-" + parts.joined(separator: "-")))
        volume.hostPath = HostPathVolumeSource(path: source, type: isCreated ? "DirectoryOrCreate" : nil)
        if !can(.oneHost) {
            report(
                workload, "volumes", at: mount.mark, "\(source) is the path of whichever node the pod runs on",
                hint:
                    "use a named volume with a path in the spec's `volumes:` for data, a relative path for configuration"
            )
        }
        var result = PodMount(name: pod.add(volume), mountPath: mount.target, readOnly: mount.isReadOnly ? true : nil)
        if mount.bind?.createHostPath == false, !can(.oneHost) {
            report(
                workload, "volumes.[].bind.create_host_path", at: mount.mark,
                "whether \(source) is there is not checked: a node that lacks it makes an empty directory")
        }
        result.mountPropagation = propagation()
        addBindOptions()
        return result
    }

    /// What podman alone can do with a path of the host.
    private mutating func addBindOptions() {
        guard let bind = mount.bind else { return }
        let hasSettings = can(.containerSettings)
        var flags: [String] = []
        if let label = bind.selinux {
            if hasSettings {
                flags.append(label)
            } else {
                reportBind("selinux", "the node's own label of the path stays")
            }
        }
        switch bind.recursive {
        case nil, "enabled": break
        case "disabled" where hasSettings: flags.append("bind")
        case let value?: reportBind("recursive", "\(value): what is mounted below the path is there as the host has it")
        }
        if !flags.isEmpty { pod.podman[workload.name].bindFlags[mount.target] = flags }
        func reportBind(_ key: String, _ consequence: String) {
            report(workload, "volumes.[].bind.\(key)", at: mount.mark, consequence)
        }
    }

    /// How mounts below the path are passed on. A cluster lets privileged containers only pass theirs to the node.
    private mutating func propagation() -> String? {
        switch mount.bind?.propagation {
        case "slave", "rslave": return "HostToContainer"
        case "shared", "rshared": break
        default: return nil
        }
        if can(.oneHost) || workload.service.privileged == true || spec.security.privileged {
            return "Bidirectional"
        }
        report(
            workload, "volumes.[].bind.propagation", at: mount.mark,
            "only a privileged container may pass its mounts on to the node: it sees the node's, and not the other way round",
            hint: "add `privileged: true` if the node has to see the container's mounts")
        return "HostToContainer"
    }
}

extension StoringStep {
    /// Remembers a path that a pod mounts from its host.
    mutating func note(_ path: String, isWritten: Bool, isOwn: Bool, of workload: ServiceWorkload, at mark: Mark) {
        shared.storage.hostMounts.insert(
            HostMount(
                path: tree.destination(of: path), isWritten: isWritten, isOwn: isOwn, service: workload.name, mark: mark
            ))
    }
}
