import Compose
import KubernetesObjects
import Specs
import YAML

extension PodStage {
    /// A path of the host in a container: a ConfigMap for files that the project brings, the node's own path for one outside.
    mutating func bind(_ mount: ComposeMount, _ workload: ServiceWorkload, pod: inout PodDraft) -> PodMount? {
        guard let source = mount.source else { return nil }
        if options.mountsInPlace { return bindInPlace(source, mount, workload, pod: &pod) }
        if isOutside(mount, of: workload) { return hostPath(source, mount, workload, pod: &pod) }
        if let direct = directBind(source, mount, workload, pod: &pod) { return direct }
        switch tree.kind(source) {
        case .none:
            refuseBind(mount, workload, "does not exist", before: "put the files there; or ")
            return nil
        case .other:
            refuseBind(mount, workload, "is neither a file nor a directory")
            return nil
        case .directory where !mount.isReadOnly && holdsProject(source, workload):
            refuseBind(mount, workload, "is the project's own directory, mounted for writing")
            return nil
        case .file, .directory: break
        }
        guard let bundle = bindBundle(source, mount, workload) else { return nil }
        if can(.oneHost), liesInWritten(source) {
            report(
                workload, "volumes", at: mount.mark,
                "\(mount.writtenSource ?? source) is copied, since it lies in a directory that a container may write:"
                    + " what is written there is not seen",
                hint:
                    "allow it in spec.yml if you trust the services with links to anywhere: allowed-paths: [\(source)]")
        } else if !mount.isReadOnly {
            report(
                workload, "volumes", at: mount.mark,
                "\(mount.writtenSource ?? source) is copied into the deployment and mounted at \(mount.target) for reading only",
                hint: "write `:ro` if that is meant, or use a named volume if the service writes there")
        }
        return mounted(bundle, at: mount.target, pod: &pod)
    }

    /// What is not there is made, unless the long form forbids it: https://docs.docker.com/reference/compose-file/services/#volumes
    private mutating func bindInPlace(
        _ source: String, _ mount: ComposeMount, _ workload: ServiceWorkload, pod: inout PodDraft
    ) -> PodMount? {
        let isAbsent = tree.kind(source) == .none
        if isAbsent, mount.bind?.createHostPath == false {
            refuse(
                workload, "volumes", at: mount.mark,
                "\(mount.writtenSource ?? source) does not exist, and `create_host_path: false` forbids to make it",
                hint: "make it, or correct the path")
            return nil
        }
        return hostPath(source, mount, workload, creates: isAbsent, pod: &pod)
    }

    /// On podman, what is written to, what is not there yet and what is too large for a ConfigMap are mounted as they stand in the
    /// deployment directory, as docker compose mounts them.
    private mutating func directBind(
        _ source: String, _ mount: ComposeMount, _ workload: ServiceWorkload, pod: inout PodDraft
    ) -> PodMount? {
        guard can(.oneHost), !holdsProject(source, workload) else { return nil }
        switch tree.kind(source) {
        case .none where options.writtenContent(source) != nil:
            refuse(
                workload, "volumes", at: mount.mark,
                "\(mount.writtenSource ?? source) was a file that came with the stack, and is gone",
                hint: "copy it from the stack to \(source) again")
            return nil
        case .none where mount.bind?.createHostPath ?? true: break
        case .directory where !mount.isReadOnly || isWritten(source) || !fitsConfigMap(source): break
        case .file where !mount.isReadOnly || isWritten(source):
            // A container keeps the file that it was started with, whatever an editor puts into its place.
            if isText(source), let identity = tree.identity(source) { pod.podman.writtenContent.insert(identity) }
        case .file where !fitsConfigMap(source): break
        default: return nil
        }
        return hostPath(source, mount, workload, creates: tree.kind(source) == .none, pod: &pod)
    }

    /// Whether some service mounts a path for writing, or something in it: who reads it sees what is written. Below a directory that a
    /// container may write, only where the operator allows that: see ``refuseNestedMounts()``.
    private func isWritten(_ source: String) -> Bool {
        context.writtenBinds.contains { $0.isPath(atOrBelow: source) } || (liesInWritten(source) && isAllowed(source))
    }

    private func liesInWritten(_ source: String) -> Bool {
        context.writtenBinds.contains { source != $0 && source.isPath(atOrBelow: $0) }
    }

    /// Whether a file is one that people edit; data is its service's alone.
    private func isText(_ source: String) -> Bool {
        guard fitsConfigMap(source), let bytes = try? tree.read(source) else { return false }
        return !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
    }

    private func fitsConfigMap(_ source: String) -> Bool {
        do throws(BundledFiles.Problem) {
            var set = BundledFiles()
            if tree.kind(source) == .file {
                try set.add(source, as: lastPathComponent(source), tree: tree)
            } else {
                try set.addDirectory(source, tree: tree)
            }
            return !set.isEmpty
        } catch {
            return false
        }
    }

    /// An absolute path outside the project is the host's own: a socket, a device, a system file.
    private func isOutside(_ mount: ComposeMount, of workload: ServiceWorkload) -> Bool {
        guard let written = mount.writtenSource, let source = mount.source,
            written.hasPrefix("/") || written.hasPrefix("~")
        else {
            return false
        }
        let directory = workload.service.directory
        return !(source == directory || source.hasPrefix(directory == "/" ? "/" : directory + "/"))
            || tree.kind(source) == .other || directory == "/"
    }

    private func holdsProject(_ source: String, _ workload: ServiceWorkload) -> Bool {
        let directory = workload.service.directory
        return directory == source || directory.hasPrefix(source == "/" ? "/" : source + "/")
    }

    private mutating func hostPath(
        _ source: String, _ mount: ComposeMount, _ workload: ServiceWorkload, creates: Bool = false, pod: inout PodDraft
    ) -> PodMount {
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
        volume.hostPath = HostPathVolumeSource(path: source, type: creates ? "DirectoryOrCreate" : nil)
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
        result.mountPropagation = propagation(mount, workload)
        addBindOptions(mount, workload, to: &pod)
        return result
    }

    /// What podman alone can do with a path of the host.
    private mutating func addBindOptions(_ mount: ComposeMount, _ workload: ServiceWorkload, to pod: inout PodDraft) {
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
    private mutating func propagation(_ mount: ComposeMount, _ workload: ServiceWorkload) -> String? {
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

    private mutating func bindBundle(_ source: String, _ mount: ComposeMount, _ workload: ServiceWorkload)
        -> FileBundle?
    {
        if let known = storage.bundles[source] {
            if known == nil { refuseBind(mount, workload, storage.bundleProblems[source] ?? "cannot be read") }
            return known
        }
        var result: FileBundle?
        do throws(BundledFiles.Problem) {
            var set = BundledFiles()
            let isFile = tree.kind(source) == .file
            let name = lastPathComponent(source)
            if isFile { try set.add(source, as: name, tree: tree) } else { try set.addDirectory(source, tree: tree) }
            if set.isEmpty {
                storage.bundleProblems[source] = "is empty"
            } else {
                result = bundle(set, name: name, isFile: isFile, labels: labels(workload))
            }
        } catch {
            storage.bundleProblems[source] = describe(error)
        }
        storage.bundles.updateValue(result, forKey: source)
        if let problem = storage.bundleProblems[source] { refuseBind(mount, workload, problem) }
        return result
    }

    func describe(_ problem: BundledFiles.Problem) -> String {
        switch problem {
        case .tooLarge: "holds more than \(BundledFiles.limit >> 10) KiB, which is what a ConfigMap can"
        case .tooManyFiles: "holds more than \(BundledFiles.mostFiles) files"
        case .leavesDirectory(let path): "has a link that leaves it (\(path))"
        case .special(let path): "has something that is not a file (\(path))"
        case .unreadable(let error): "cannot be read: \(error)"
        }
    }

    private mutating func refuseBind(
        _ mount: ComposeMount, _ workload: ServiceWorkload, _ reason: String, before: String = ""
    ) {
        let name = Names.label(lastPathComponent(mount.target))
        let volume = name.isEmpty ? "data" : name
        refuse(
            workload, "volumes", at: mount.mark, "\(mount.writtenSource ?? mount.source ?? "") \(reason)",
            hint: "\(before)write `\(volume):\(mount.target)` and declare `\(volume):` under the top-level `volumes:`"
                + " (in spec.yml `volumes: {\(volume): PATH}` puts it on a path), or build the files into the image")
    }

    /// A bundle at a path: one file by subPath, a directory as a whole.
    func mounted(_ bundle: FileBundle, at target: String, mode: Int? = nil, pod: inout PodDraft) -> PodMount {
        var items = bundle.items
        if let mode { for index in items.indices { items[index].mode = mode } }
        var volume = PodVolume(name: bundle.configMap)
        volume.configMap = ConfigMapVolumeSource(name: bundle.configMap, items: items)
        let path = bundle.isFile ? bundle.items.first?.path : nil
        return PodMount(name: pod.add(volume), mountPath: target, subPath: path, readOnly: true)
    }

    /// A directory of the spec's `configmaps`.
    mutating func specConfigMap(
        _ key: String, _ directory: Located<String>, at target: String, _ workload: ServiceWorkload, pod: inout PodDraft
    ) -> PodMount? {
        let written = options.deploymentDirectory == nil ? directory.value : spec.configMapDirectory(key)
        let path = hostPath(written, of: "configmaps: \(key)", at: directory.mark)
        if storage.bundles[path] == nil {
            storage.bundles.updateValue(specBundle(key, path, workload, at: directory.mark), forKey: path)
        }
        guard let bundle = storage.bundles[path] ?? nil else { return nil }
        return mounted(bundle, at: target, pod: &pod)
    }

    private mutating func specBundle(_ key: String, _ path: String, _ workload: ServiceWorkload, at mark: Mark)
        -> FileBundle?
    {
        do throws(BundledFiles.Problem) {
            var set = BundledFiles()
            try set.addDirectory(path, tree: tree)
            return bundle(set, name: key, isFile: false, labels: labels(workload))
        } catch {
            reports.error(
                "configmaps: \(key): \(path) \(describe(error))", at: mark, hint: "put the volume's files into \(path)")
            return nil
        }
    }
}
