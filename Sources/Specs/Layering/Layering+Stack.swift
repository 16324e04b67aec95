import Compose
import OrderedCollections
import YAML

extension Layering {
    /// Loads every pod and job of a stack; nil if that leaves nothing.
    mutating func load(_ stack: ResolvedStack) -> Project? {
        let name = options.projectName ?? composeProjectName(stack.name)
        let pods = stack.pods.compactMap { pod in pod.composeFile.map { PodFile(pod, services: names(in: $0)) } }
        requireDistinctServices(pods)
        requireDistinctVolumes(stack)
        let jobServices = stack.jobs.map { job in
            job.composeFile.map { names(in: $0) } ?? [:]
        }
        let project = loadPods(pods, stack, name: name, fragment: fragment(besides: jobServices, pods: pods))
        for (job, services) in zip(stack.jobs, jobServices) {
            guard let file = job.composeFile else { continue }
            var load = loadOptions(name: name)
            load.overrides = fragment(for: services, of: file).map { [$0] } ?? []
            load.externalServices = Set(project?.services.keys.map { $0 } ?? [])
            jobs[job.name] = loadProject(files: [file], options: load, tree: tree, diagnostics: &diagnostics)
        }
        guard let project else { return nil }
        for part in [project] + jobs.values { confine(part, to: stack) }
        addComponents(stack, pods, project)
        return project
    }

    private mutating func loadPods(
        _ pods: [PodFile], _ stack: ResolvedStack, name: String, fragment: Node?
    ) -> Project? {
        guard !pods.isEmpty else { return Project(name: name, directory: stack.root) }
        var load = loadOptions(name: name)
        load.overrides = fragment.map { [$0] } ?? []
        guard pods.count > 1 else {
            return loadProject(files: pods.map(\.path), options: load, tree: tree, diagnostics: &diagnostics)
        }
        // Compose's own include makes one project of files that keep their directory and `.env` each.
        let file = "\(stack.root)/compose/.so-\(name).yml"
        let document = Node.map([("include", .list(pods.map { .string(withoutInterpolation($0.path)) }))])
        load.projectDirectory = stack.root + "/compose"
        load.envFiles = []
        var project = loadProject(
            files: [file], options: load, tree: tree.adding(file, document.yaml()), diagnostics: &diagnostics)
        project?.files.removeAll { $0 == file }
        project?.referencedPaths.removeAll { $0.mark.file == file || $0.path == file }
        return project
    }

    private mutating func addComponents(_ stack: ResolvedStack, _ pods: [PodFile], _ project: Project) {
        var owners: [String: String] = [:]
        for pod in pods { for service in pod.services.keys { owners[service] = pod.name } }
        let fallback = pods.first?.name
        components = stack.pods.map { pod in
            let names = project.services.values.filter { service in
                let owner = owners[service.name] ?? pods.first { $0.path == service.mark.file }?.name
                return (owner ?? fallback) == pod.name
            }.map(\.name)
            let colocate = spec.colocation[pod.name]?.value ?? pod.colocate
            return Component(name: pod.name, colocate: colocate, serviceNames: names)
        }
    }

    /// Compose merges what is included twice; two pods with one service are a mistake.
    private mutating func requireDistinctServices(_ pods: [PodFile]) {
        var owners: [String: (pod: String, mark: Mark)] = [:]
        for pod in pods {
            for (service, mark) in pod.services {
                if let owner = owners[service] {
                    diagnostics.error(
                        "the service '\(service)' is defined in both pods '\(owner.pod)' and '\(pod.name)'", at: mark,
                        hint: "rename it here or at \(owner.mark)")
                } else {
                    owners[service] = (pod.name, mark)
                }
            }
        }
    }

    /// Within one stack, pods share a volume by its name; two stacks that do not know of each other must not.
    private mutating func requireDistinctVolumes(_ stack: ResolvedStack) {
        var owners: [String: (part: String?, mark: Mark)] = [:]
        for pod in stack.pods {
            guard let file = pod.composeFile, let bytes = try? tree.read(file),
                let node = try? loadYAML(bytes, file: file).first
            else { continue }
            for kind in ["volumes", "configs", "secrets"] {
                for entry in node.entries(kind) where entry.value.value("external") == nil {
                    let key = "\(kind).\(entry.key)"
                    if let owner = owners[key], owner.part != pod.part {
                        diagnostics.error(
                            "`\(key)` of the stack '\(pod.part ?? stack.name)' has the name of one of '\(owner.part ?? stack.name)'",
                            at: entry.keyMark, hint: "rename it here or at \(owner.mark)")
                    }
                    owners[key] = (pod.part, entry.keyMark)
                }
            }
        }
    }

    /// The names under a key as they stand in a file, each with its place; faults in it are the loader's to report.
    private func names(in file: String, under key: String = "services") -> OrderedDictionary<String, Mark> {
        guard let bytes = try? tree.read(file), let node = try? loadYAML(bytes, file: file).first else { return [:] }
        return OrderedDictionary(uniqueKeysWithValues: node.entries(key).map { ($0.key, $0.keyMark) })
    }

    /// The part of `overrides` that is for a job: its services and volumes.
    private func fragment(for services: OrderedDictionary<String, Mark>, of file: String) -> Node? {
        guard let overrides = spec.overrides else { return nil }
        let volumes = names(in: file, under: "volumes")
        let parts = [("services", services), ("volumes", volumes)].compactMap { key, names -> Mapping.Entry? in
            let entries = overrides.entries(key).filter { names[$0.key] != nil }
            guard !entries.isEmpty, let all = overrides.value(key) else { return nil }
            let kept = Node(.mapping(Mapping(entries)), tag: all.tag, mark: all.mark)
            return Mapping.Entry(key: key, keyMark: all.mark, value: kept)
        }
        return parts.isEmpty ? nil : Node(.mapping(Mapping(parts)), mark: overrides.mark)
    }

    /// The part of `overrides` that is for the pods: all but services that only jobs have.
    private func fragment(
        besides jobs: [OrderedDictionary<String, Mark>], pods: [PodFile]
    ) -> Node? {
        guard var overrides = spec.overrides, var mapping = overrides.mapping else { return nil }
        guard var services = overrides.value("services"), let all = services.mapping else { return overrides }
        let kept = all.entries.filter { entry in
            !jobs.contains { $0[entry.key] != nil } || pods.contains { $0.services[entry.key] != nil }
        }
        services.content = .mapping(Mapping(kept))
        mapping["services"] = kept.isEmpty ? nil : services
        overrides.content = .mapping(mapping)
        return mapping.entries.isEmpty ? nil : overrides
    }
}

/// A pod whose compose file is there.
struct PodFile {
    var name: String
    var path: String
    /// The services that the file itself declares.
    var services: OrderedDictionary<String, Mark>

    init(_ pod: ResolvedPod, services: OrderedDictionary<String, Mark>) {
        name = pod.name
        path = pod.composeFile ?? ""
        self.services = services
    }
}

/// A stack's name as compose takes it for a project: https://github.com/compose-spec/compose-spec/blob/main/04-version-and-name.md
func composeProjectName(_ stack: String) -> String {
    let letters = stack.lowercased().map { letter in
        letter.isASCII && (letter.isLetter || letter.isNumber || letter == "_" || letter == "-") ? letter : "-"
    }
    let name = String(letters.drop { $0 == "-" || $0 == "_" })
    return name.isEmpty ? "stack" : name
}

/// A text that interpolation leaves as it is.
func withoutInterpolation(_ text: String) -> String {
    text.replacing(scalar: "$", with: "$$")
}
