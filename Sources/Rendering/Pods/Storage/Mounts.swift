import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Renders everything that a service mounts: volumes, those of others, tmpfs, shared memory, configs and secrets.
struct MountStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> [PodMount] {
        var result: [PodMount] = []
        for (mount, origin) in effectiveMounts() {
            if let rendered = self.mount(mount, of: origin) { result.append(rendered) }
        }
        for tmpfs in workload.service.tmpfs {
            let step = TmpfsStep(inputs: inputs, tmpfs: tmpfs, workload: workload)
            result.append(step.run(on: &pod, reporting: &reports))
        }
        if let size = workload.service.shmSize { result.append(pod.mountMemory("/dev/shm", size: size, of: workload)) }
        let files =
            workload.service.configs.map { (FileMountStep.Section.configs, $0) }
            + workload.service.secrets.map { (FileMountStep.Section.secrets, $0) }
        for (section, reference) in files {
            let step = FileMountStep(inputs: inputs, reference: reference, section: section, workload: workload)
            if let mount = step.run(on: &pod, storing: &shared, reporting: &reports) { result.append(mount) }
        }
        return result
    }

    /// The service's mounts over those of `volumes_from`, each with the workload that wrote it.
    private mutating func effectiveMounts() -> [(ComposeMount, ServiceWorkload)] {
        var result: [(ComposeMount, ServiceWorkload)] = []
        var visited: Set<Int> = [workload.index]
        func collect(
            _ workload: ServiceWorkload, isReadOnly: Bool, into result: inout [(ComposeMount, ServiceWorkload)]
        ) {
            for from in workload.service.volumesFrom where !from.isContainer {
                guard let other = self.workload(from.name, for: workload), visited.insert(other.index).inserted else {
                    continue
                }
                collect(other, isReadOnly: isReadOnly || from.isReadOnly, into: &result)
            }
            for mount in workload.service.volumes {
                var mount = mount
                mount.isReadOnly = mount.isReadOnly || isReadOnly
                result.removeAll { $0.0.target == mount.target && $0.1.index != workload.index }
                result.append((mount, workload))
            }
        }
        collect(workload, isReadOnly: false, into: &result)
        for from in workload.service.volumesFrom where from.isContainer {
            refuse(
                workload, "volumes_from", at: from.mark, "container:\(from.name) is not a service of this project",
                hint: "name a service, or a volume of both under `volumes:`")
        }
        return result
    }

    private mutating func mount(
        _ mount: ComposeMount, of origin: ServiceWorkload
    ) -> PodMount? {
        if let consistency = mount.consistency, consistency != "consistent" {
            report(workload, "volumes.[].consistency", at: mount.mark, "it is for docker's virtual machine only")
        }
        switch mount.kind {
        case .volume: return named(mount, of: origin)
        case .bind:
            return BindStep(inputs: inputs, mount: mount, workload: workload)
                .run(on: &pod, storing: &shared, reporting: &reports)
        case .tmpfs:
            if let mode = mount.tmpfs?.mode {
                setMode(mode, of: mount.target, "volumes.[].tmpfs.mode", at: mount.mark, workload)
            }
            return pod.mountMemory(mount.target, size: mount.tmpfs?.size, of: workload)
        case .image:
            var volume = PodVolume(name: Names.label("image\(mount.target)"))
            volume.image = ImageVolumeSource(reference: options.images[mount.source ?? ""] ?? mount.source ?? "")
            return PodMount(
                name: pod.add(volume), mountPath: mount.target,
                subPath: subpath(mount.imageSubpath, "volumes.[].image.subpath", at: mount.mark),
                readOnly: true)
        case .npipe, .cluster:
            refuse(
                workload, "volumes", at: mount.mark, "a mount of type \(mount.kind.rawValue) exists in docker only",
                hint: "use a named volume")
            return nil
        }
    }

    private mutating func named(
        _ mount: ComposeMount, of origin: ServiceWorkload
    ) -> PodMount? {
        if let key = mount.source, let directory = spec.configmaps[key] {
            return SpecConfigMapStep(
                inputs: inputs, key: key, directory: directory, target: mount.target, workload: workload
            ).run(on: &pod, storing: &shared, reporting: &reports)
        }
        let claim = ClaimStep(inputs: inputs, mount: mount, workload: origin)
            .run(storing: &shared, reporting: &reports)
        if claim.source == .external, let key = mount.source {
            let volume = project(of: origin).volumes[key] ?? layered.project.volumes[key]
            pod.podman.externalVolumes[claim.name] = volume?.name ?? key
        }
        if mount.source == nil { pod.podman[workload.name].anonymous.insert(mount.target) }
        var volume = PodVolume(name: claim.name)
        if case .memory(let size) = claim.source {
            volume.emptyDir = EmptyDirVolumeSource(medium: "Memory", sizeLimit: size)
        } else {
            volume.persistentVolumeClaim = PersistentVolumeClaimVolumeSource(claimName: claim.name)
            if claim.isExclusive { pod.mountsExclusiveVolume = true }
            addFileGroup()
        }
        let below =
            subpath(mount.volume?.subpath, "volumes.[].volume.subpath", at: mount.mark)
            ?? komposeSubpath()
        if case .directory(let path) = claim.source {
            let isOwn = options.deploymentDirectory.map { path.isPath(atOrBelow: $0) } ?? false
            note(
                below.map { "\(path)/\($0)" } ?? path, isWritten: !mount.isReadOnly, isOwn: isOwn, of: workload,
                at: mount.mark)
        }
        return PodMount(
            name: pod.add(volume), mountPath: mount.target, subPath: below, readOnly: mount.isReadOnly ? true : nil)
    }

    /// `kompose.volume.subpath`.
    private mutating func komposeSubpath() -> String? {
        guard let written = kompose("volume.subpath", workload) else { return nil }
        let label = "labels.kompose.volume.subpath"
        guard !can(.oneHost) else {
            report(
                workload, label, "podman mounts volumes of its own at their top",
                hint: "give the volume a path in the spec's volumes, or write `volume: {subpath: …}`")
            return nil
        }
        return subpath(written, label, at: workload.service.keys[label] ?? workload.service.mark)
    }

    /// A path below a volume's top, as docker and Kubernetes take it.
    private mutating func subpath(_ written: String?, _ key: String, at mark: Mark) -> String? {
        guard let written, !written.isEmpty else { return nil }
        if !written.hasPrefix("/"), !written.split(separator: "/").contains("..") { return written }
        let inside = normalizedPath("/" + written).dropFirst()
        refuse(
            workload, key, at: mark, "\(written) is not a path below the volume's top",
            hint: inside.isEmpty ? "remove it" : "write `subpath: \(inside)`")
        return nil
    }

    /// A fresh volume belongs to root; a service that runs as somebody else could not write to it.
    private mutating func addFileGroup() {
        let parts = (workload.service.user ?? "").split(separator: ":", maxSplits: 1).map {
            Names.userNumber(String($0))
        }
        guard let group = parts.count == 2 ? parts[1] : parts.first ?? nil, group != 0 else { return }
        var context = pod.spec.securityContext ?? PodSecurityContext()
        if context.fsGroup == nil { context.fsGroup = group }
        pod.spec.securityContext = context
    }
}
