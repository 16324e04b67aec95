import Compose
import KubernetesObjects
import Specs
import YAML

/// Makes a path of the project that goes along a ConfigMap.
struct BindBundleStep: StoringStep {
    let inputs: PodInputs
    let source: String
    let mount: ComposeMount
    let workload: ServiceWorkload
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> FileBundle? {
        if let known = shared.storage.bundles[source] {
            if known == nil { refuseBind(mount, workload, shared.storage.bundleProblems[source] ?? "cannot be read") }
            return known
        }
        var result: FileBundle?
        do throws(BundledFiles.Problem) {
            var set = BundledFiles()
            let isFile = tree.kind(source) == .file
            let name = lastPathComponent(source)
            if isFile { try set.add(source, as: name, tree: tree) } else { try set.addDirectory(source, tree: tree) }
            if set.isEmpty {
                shared.storage.bundleProblems[source] = "is empty"
            } else {
                result = shared.storage.bundle(
                    set, name: name, isFile: isFile, metadata: metadata("", labels: labels(workload)))
            }
        } catch {
            shared.storage.bundleProblems[source] = error.description
        }
        shared.storage.bundles.updateValue(result, forKey: source)
        if let problem = shared.storage.bundleProblems[source] { refuseBind(mount, workload, problem) }
        return result
    }
}

/// Mounts a directory of the spec's `configmaps`.
struct SpecConfigMapStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let key: String
    let directory: Located<String>
    let target: String
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> PodMount? {
        let written = options.deploymentDirectory == nil ? directory.value : spec.configMapDirectory(key)
        let path = hostPath(written, of: "configmaps: \(key)", at: directory.mark)
        if shared.storage.bundles[path] == nil {
            shared.storage.bundles.updateValue(bundle(path), forKey: path)
        }
        guard let bundle = shared.storage.bundles[path] ?? nil else { return nil }
        return pod.mount(bundle, at: target)
    }

    private mutating func bundle(_ path: String) -> FileBundle? {
        do throws(BundledFiles.Problem) {
            var set = BundledFiles()
            try set.addDirectory(path, tree: tree)
            return shared.storage.bundle(
                set, name: key, isFile: false, metadata: metadata("", labels: labels(workload)))
        } catch {
            reports.error(
                "configmaps: \(key): \(path) \(error.description)", at: directory.mark,
                hint: "put the volume's files into \(path)")
            return nil
        }
    }
}

extension ReportingStage {
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
}

extension BundledFiles.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .tooLarge: "holds more than \(BundledFiles.limit >> 10) KiB, which is what a ConfigMap can"
        case .tooManyFiles: "holds more than \(BundledFiles.mostFiles) files"
        case .leavesDirectory(let path): "has a link that leaves it (\(path))"
        case .special(let path): "has something that is not a file (\(path))"
        case .unreadable(let error): "cannot be read: \(error)"
        }
    }
}
