import Compose
import KubernetesObjects
import Specs
import YAML

/// Paths of the project that go along as ConfigMaps.
extension PodStage {
    mutating func bindBundle(_ source: String, _ mount: ComposeMount, _ workload: ServiceWorkload)
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

    mutating func refuseBind(
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
