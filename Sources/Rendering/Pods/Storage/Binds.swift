import Compose
import KubernetesObjects
import Specs
import YAML

/// Mounts a path of the host in a container: a ConfigMap for files that the project brings, the node's own path for one outside.
struct BindStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let mount: ComposeMount
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> PodMount? {
        guard let source = mount.source else { return nil }
        if options.mountsInPlace { return bindInPlace(source) }
        if isOutside(mount, of: workload) { return hostPath(source) }
        if let direct = directBind(source) { return direct }
        switch tree.kind(source) {
        case .none:
            refuseBind(mount, workload, "does not exist", before: "put the files there; or ")
            return nil
        case .other:
            refuseBind(mount, workload, "is neither a file nor a directory")
            return nil
        case .directory where !mount.isReadOnly && holdsProject(source):
            refuseBind(mount, workload, "is the project's own directory, mounted for writing")
            return nil
        case .file, .directory: break
        }
        let step = BindBundleStep(inputs: inputs, source: source, mount: mount, workload: workload)
        guard let bundle = step.run(storing: &shared, reporting: &reports) else { return nil }
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
        return pod.mount(bundle, at: mount.target)
    }

    private mutating func hostPath(_ source: String, isCreated: Bool = false) -> PodMount {
        HostPathStep(inputs: inputs, source: source, mount: mount, workload: workload, isCreated: isCreated)
            .run(on: &pod, storing: &shared, reporting: &reports)
    }

    /// What is not there is made, unless the long form forbids it: https://docs.docker.com/reference/compose-file/services/#volumes
    private mutating func bindInPlace(_ source: String) -> PodMount? {
        let isAbsent = tree.kind(source) == .none
        if isAbsent, mount.bind?.createHostPath == false {
            refuse(
                workload, "volumes", at: mount.mark,
                "\(mount.writtenSource ?? source) does not exist, and `create_host_path: false` forbids to make it",
                hint: "make it, or correct the path")
            return nil
        }
        return hostPath(source, isCreated: isAbsent)
    }

    /// On podman, what is written to, what is not there yet and what is too large for a ConfigMap are mounted as they stand in the
    /// deployment directory, as docker compose mounts them.
    private mutating func directBind(_ source: String) -> PodMount? {
        guard can(.oneHost), !holdsProject(source) else { return nil }
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
        return hostPath(source, isCreated: tree.kind(source) == .none)
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

    private func holdsProject(_ source: String) -> Bool {
        let directory = workload.service.directory
        return directory == source || directory.hasPrefix(source == "/" ? "/" : source + "/")
    }
}

extension RenderStage {
    /// An absolute path outside the project is the host's own: a socket, a device, a system file.
    func isOutside(_ mount: ComposeMount, of workload: ServiceWorkload) -> Bool {
        guard let written = mount.writtenSource, let source = mount.source,
            written.hasPrefix("/") || written.hasPrefix("~")
        else {
            return false
        }
        let directory = workload.service.directory
        return !(source == directory || source.hasPrefix(directory == "/" ? "/" : directory + "/"))
            || tree.kind(source) == .other || directory == "/"
    }
}
