import ExternalTools
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

/// What a container's mounts come to on podman.
struct ResolvedMounts {
    var options: [PodmanOption] = []
    var secrets: [PodmanSecret] = []
    var fileSets: [StateFiles] = []
    var contentCopies: [ContentCopy] = []
    /// Podman's volumes that the service gives no name.
    var anonymousVolumes: [String] = []
}

extension PodTranslator {
    mutating func mounts(_ container: Container, in context: PodContext) -> ResolvedMounts {
        var result = ResolvedMounts()
        for mount in container.volumeMounts ?? [] {
            guard let volume = context.spec.volumes?.first(where: { $0.name == mount.name }) else {
                findings.error("\(container.name): mount \(mount.mountPath) names no volume", at: nil)
                continue
            }
            add(mount, volume, to: &result, container: container.name, context)
        }
        return result
    }

    private mutating func add(
        _ mount: VolumeMount, _ volume: Volume, to result: inout ResolvedMounts, container: String,
        _ context: PodContext
    ) {
        if let source = volume.configMap {
            addFiles(source, mount, to: &result, container, context)
        } else if let source = volume.secret {
            addSecret(source, mount, to: &result, container, context)
        } else if let source = volume.emptyDir {
            emptyDir(source, volume, mount, to: &result, container, context)
        } else if let source = volume.hostPath {
            hostPath(source, mount, to: &result, container, context)
        } else if let source = volume.persistentVolumeClaim {
            claim(source, mount, to: &result, container, context)
        } else if let source = volume.image {
            refuseTransport(source.reference, container)
            if mount.subPath != nil {
                findings.error(
                    "\(container): podman mounts the image \(source.reference) at its top only, not at a path in it",
                    at: nil, hint: "leave `subpath` out, and name the longer path in the container")
            }
            add(&result.options, container) { () throws(UnwritablePart) in
                try .fields(
                    "--mount",
                    [("type", "image"), ("source", source.reference), ("destination", mount.mountPath)])
            }
        } else {
            findings.error(
                "\(container): the kind of volume at \(mount.mountPath) cannot be mounted by podman", at: nil,
                hint: "mount it on the host and use a path, or deploy to a cluster")
        }
    }

    // MARK: Files

    private mutating func addFiles(
        _ source: ConfigMapVolumeSource, _ mount: VolumeMount, to result: inout ResolvedMounts, _ container: String,
        _ context: PodContext
    ) {
        guard let content = index.content(ofConfigMap: source.name) else {
            if let file = context.workload.podman.externalFiles[.configMap(source.name)] {
                let mode = source.items?.first?.mode ?? source.defaultMode ?? 0o444
                return external(file, "config", mode, mount, to: &result, container, context)
            }
            return missing("ConfigMap", source.name, optional: source.optional, container)
        }
        let files = items(source.items, content, source.defaultMode ?? 0o644).map { path, bytes, mode in
            StateFiles.File(path: path, bytes: bytes, mode: mode)
        }
        guard files.allSatisfy({ isInside($0.path) }), mount.subPath.map(isInside) ?? true else {
            return findings.error("\(container): a path in ConfigMap \(source.name) leaves its directory", at: nil)
        }
        let set = StateFiles(files: files, digest: digest(of: files))
        result.fileSets.append(set)
        let path = [model.stateDirectory, "files", set.digest, mount.subPath].compactMap { $0 }.joined(separator: "/")
        bind(path, mount, readOnly: true, to: &result, container)
    }

    private func items(
        _ items: [KeyToPath]?, _ content: [String: [UInt8]], _ mode: Int
    ) -> [(path: String, bytes: [UInt8], mode: Int)] {
        guard let items else { return content.sorted { $0.key < $1.key }.map { ($0.key, $0.value, mode) } }
        return items.compactMap { item in content[item.key].map { (item.path, $0, item.mode ?? mode) } }
    }

    private func digest(of files: [StateFiles.File]) -> String {
        let parts = files.flatMap { [Array($0.path.utf8), Array("\($0.mode)".utf8), $0.bytes] }
        return String(sha256Hex(parts.flatMap { Array("\($0.count):".utf8) + $0 }).prefix(24))
    }

    // MARK: Secrets

    private mutating func addSecret(
        _ source: SecretVolumeSource, _ mount: VolumeMount, to result: inout ResolvedMounts, _ container: String,
        _ context: PodContext
    ) {
        let mode = source.defaultMode ?? 0o444
        let group = context.spec.securityContext?.fsGroup
        func target(_ path: String) -> String? {
            guard let subPath = mount.subPath else { return joined(mount.mountPath, path) }
            return subPath == path ? mount.mountPath : nil
        }
        if let content = secrets[source.secretName] {
            for (path, bytes, mode) in items(source.items, content, mode) {
                guard let file = target(path) else { continue }
                let key = source.items?.first { $0.path == path }?.key ?? path
                let uid = context.workload.podman[container].owners[file]
                // Podman keeps one file of a secret in a container: owners and modes that differ need secrets that do.
                let access = Array("\(mode):\(uid ?? 0):\(group ?? 0):".utf8)
                let digest = hmacSHA256Hex(key: self.key, message: access + bytes)
                let name = PodmanNames.secret(model.namespace, source.secretName, key, digest)
                result.secrets.append(
                    PodmanSecret(name: name, value: bytes, use: .file(path: file, mode: mode, uid: uid, gid: group)))
            }
            return
        }
        let stored = storedSecrets.filter { $0.hasPrefix(source.secretName + ".") }
        // `secrets import` keeps one object a key, under the name that a cluster has.
        if let file = context.workload.podman.externalFiles[.secret(source.secretName)],
            stored.isEmpty || storedSecrets.contains(file.name)
        {
            return external(
                file, "secret", source.items?.first?.mode ?? mode, mount, to: &result, container, context)
        }
        if stored.isEmpty { missing("Secret", source.secretName, optional: source.optional, container) }
        for name in stored {
            let key = String(name.dropFirst(source.secretName.count + 1))
            let item = source.items?.first { $0.key == key }
            guard source.items == nil || item != nil, let file = target(item?.path ?? key) else { continue }
            result.secrets.append(
                PodmanSecret(
                    name: name, value: nil, use: .file(path: file, mode: item?.mode ?? mode, uid: nil, gid: group)))
        }
    }

    /// A config or secret of podman's own store, as the one file that compose has of it.
    private mutating func external(
        _ file: ExternalFile, _ kind: String, _ mode: Int, _ mount: VolumeMount, to result: inout ResolvedMounts,
        _ container: String, _ context: PodContext
    ) {
        guard !PodmanNames.isSecret(file.name) else {
            return findings.error(
                "the \(kind) \(file.name) is a deployment's own: no other one may have it", at: file.mark,
                hint: "make one for it: podman secret create NAME FILE")
        }
        guard storedSecrets.contains(file.name) else {
            return findings.error(
                "the \(kind) \(file.name), which is `external`, does not exist in podman's store", at: file.mark,
                hint: "podman secret create \(shellQuoted(file.name)) FILE, or take `external: true` away")
        }
        result.secrets.append(
            PodmanSecret(
                name: file.name, value: nil,
                use: .file(
                    path: mount.mountPath, mode: mode, uid: context.workload.podman[container].owners[mount.mountPath],
                    gid: context.spec.securityContext?.fsGroup)))
    }

    // MARK: Directories

    private mutating func emptyDir(
        _ source: EmptyDirVolumeSource, _ volume: Volume, _ mount: VolumeMount, to result: inout ResolvedMounts,
        _ container: String, _ context: PodContext
    ) {
        if sharedEmptyDirs(context.spec).contains(volume.name) {
            let name = PodmanNames.ephemeralVolume(context.pod, volume.name)
            return mounted([name, mount.mountPath], flags: readOnlyFlag(mount), to: &result, container)
        }
        let size = source.sizeLimit.flatMap(QuantityText.bytes)
        guard source.medium == "Memory" else { return mounted([mount.mountPath], flags: [], to: &result, container) }
        if mount.mountPath == "/dev/shm", let size {
            if !context.hasInfra { result.options.append(.whole("--shm-size", "\(size)")) }
            return
        }
        let settings = context.workload.podman[container]
        let mode = String(settings.modes[mount.mountPath] ?? 0o1777, radix: 8)
        let own = settings.memoryFlags[mount.mountPath] ?? []
        let access = own.contains("ro") ? [] : ["rw"]
        let flags = access + own + ["mode=\(mode)"] + (size.map { ["size=\($0)"] } ?? [])
        mounted([mount.mountPath], flags: flags, option: "--tmpfs", to: &result, container)
    }

    /// `--volume` and `--tmpfs`: places and flags with colons between, which leave commas in a path alone.
    private mutating func mounted(
        _ places: [String], flags: [String], option: String = "--volume", to result: inout ResolvedMounts,
        _ container: String
    ) {
        add(&result.options, container) { () throws(UnwritablePart) in
            try .places(option, places + (flags.isEmpty ? [] : [flags.joined(separator: ",")]))
        }
    }

    private mutating func claim(
        _ source: PersistentVolumeClaimVolumeSource, _ mount: VolumeMount, to result: inout ResolvedMounts,
        _ container: String, _ context: PodContext
    ) {
        guard let claim = index.claims[source.claimName] else {
            if let name = context.workload.podman.externalVolumes[source.claimName] {
                return external(name, mount, to: &result, container)
            }
            return missing("PersistentVolumeClaim", source.claimName, optional: nil, container)
        }
        var mount = mount
        if source.readOnly == true { mount.readOnly = true }
        let keepsEmpty = context.workload.podman[container].unfilled.contains(mount.mountPath)
        if let name = claim.spec.volumeName, let volume = index.volumes[name] {
            guard let path = volume.spec.hostPath else {
                return findings.error("\(container): podman cannot mount the PersistentVolume \(name)", at: nil)
            }
            if !keepsEmpty, mount.subPath == nil {
                result.contentCopies.append(ContentCopy(path: path.path, target: mount.mountPath))
            }
            hostPath(path, mount, to: &result, container, context)
            return
        }
        let name = PodmanNames.volume(model.namespace, source.claimName)
        claimedVolumes.insert(name)
        if context.workload.podman[container].anonymous.contains(mount.mountPath) {
            result.anonymousVolumes.append(name)
        }
        if mount.subPath != nil {
            findings.error(
                "\(container): a path inside the volume \(source.claimName) cannot be mounted by podman", at: nil,
                hint: "give the volume a path in the spec's volumes")
        }
        // Podman fills an empty volume by itself, and its --mount has no word against it.
        mounted(
            [name, mount.mountPath], flags: (keepsEmpty ? ["nocopy"] : []) + readOnlyFlag(mount), to: &result, container
        )
    }

    private mutating func external(
        _ name: String, _ mount: VolumeMount, to result: inout ResolvedMounts, _ container: String
    ) {
        externalVolumes[container, default: []].insert(name)
        if mount.subPath != nil {
            findings.error(
                "\(container): a path inside the volume \(name) cannot be mounted by podman", at: nil,
                hint: "mount the whole volume")
        }
        mounted([name, mount.mountPath], flags: readOnlyFlag(mount), to: &result, container)
    }

    private mutating func hostPath(
        _ source: HostPathVolumeSource, _ mount: VolumeMount, to result: inout ResolvedMounts, _ container: String,
        _ context: PodContext
    ) {
        let type = source.type ?? ""
        guard mount.subPath.map(isInside) ?? true else {
            return findings.error("\(container): subPath \(mount.subPath ?? "") leaves its volume", at: nil)
        }
        let path = mount.subPath.map { joined(source.path, $0) } ?? source.path
        hostPaths.append(
            HostPath(
                path: path, type: mount.subPath == nil ? type : "", service: container,
                volume: mount.subPath.map { _ in source.path }))
        if type == "CharDevice" || type == "BlockDevice" {
            return add(&result.options, container) { () throws(UnwritablePart) in
                try .element("--device", parts: [path, mount.mountPath] + (mount.readOnly == true ? ["r"] : []))
            }
        }
        let flags = context.workload.podman[container].bindFlags[mount.mountPath] ?? []
        bind(path, mount, readOnly: mount.readOnly == true, flags: flags, to: &result, container)
    }

    private mutating func bind(
        _ path: String, _ mount: VolumeMount, readOnly: Bool, flags own: [String] = [],
        to result: inout ResolvedMounts, _ container: String
    ) {
        let propagation = ["HostToContainer": "rslave", "Bidirectional": "rshared"][mount.mountPropagation ?? ""]
        guard path.utf8.contains(UInt8(ascii: ":")) else {
            let flags = [readOnly ? "ro" : "rw", propagation].compactMap { $0 } + own
            return mounted([path, mount.mountPath], flags: flags, to: &result, container)
        }
        // Only the other form has a place for a colon; it has none for a comma.
        add(&result.options, container) { () throws(UnwritablePart) in
            try .fields(
                "--mount",
                [("type", "bind"), ("source", path), ("destination", mount.mountPath)]
                    + (readOnly ? [("", "readonly")] : []) + (propagation.map { [("bind-propagation", $0)] } ?? [])
                    + own.compactMap { Self.mountFields[$0] })
        }
    }

    /// What a short form's flag is in the long one.
    private static let mountFields = [
        "z": ("relabel", "shared"), "Z": ("relabel", "private"), "bind": ("bind-nonrecursive", "true"),
    ]

    private func readOnlyFlag(_ mount: VolumeMount) -> [String] { mount.readOnly == true ? ["ro"] : [] }

    // MARK: Shared by the containers of a pod

    /// The emptyDirs that more than one container mounts: those need a name.
    func sharedEmptyDirs(_ spec: PodSpec) -> [String] {
        let containers = (spec.initContainers ?? []) + spec.containers
        return (spec.volumes ?? []).filter { volume in
            volume.emptyDir != nil
                && containers.filter { $0.volumeMounts?.contains { $0.name == volume.name } ?? false }.count > 1
        }.map(\.name)
    }

    /// The size of /dev/shm that a container asks for by mounting memory there.
    func sharedMemorySize(_ spec: PodSpec) -> Int? {
        for mount in spec.containers.flatMap({ $0.volumeMounts ?? [] }) where mount.mountPath == "/dev/shm" {
            let volume = spec.volumes?.first { $0.name == mount.name }
            if let size = volume?.emptyDir?.sizeLimit { return QuantityText.bytes(size) }
        }
        return nil
    }
}

/// Whether a relative path stays below where it starts.
func isInside(_ path: String) -> Bool {
    !path.isEmpty && !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
}

func joined(_ directory: String, _ path: String) -> String {
    directory.hasSuffix("/") ? directory + path : "\(directory)/\(path)"
}
