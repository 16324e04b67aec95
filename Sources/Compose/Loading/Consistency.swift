import OrderedCollections
import YAML

/// Checks what the parts of a project say of each other.
struct ConsistencyCheck {
    let state: LoadState
    let project: Project

    func run() {
        for service in project.services.values {
            checkImage(service)
            checkReferences(service)
            checkNetworkMode(service)
            checkMounts(service)
            checkContainerName(service)
            checkBuild(service)
        }
        checkContainerNames()
        checkCycles()
    }

    private func checkImage(_ service: Service) {
        guard service.image?.isEmpty ?? true, service.build == nil, service.provider == nil else { return }
        if let mark = service.keys["image"] {
            // A value of another kind, or one that could not be interpolated, is reported already; one of the operator's inputs is asked for later.
            guard service.image != nil, !state.isUnknown(onLineOf: mark) else { return }
            return state.error(
                "the `image` of the service \(service.name) is empty", at: mark, hint: "write which image it runs")
        }
        state.error(
            "the service \(service.name) has neither an image nor a build", at: service.mark, hint: "write `image:`")
    }

    private func checkReferences(_ service: Service) {
        for (name, network) in service.networks where project.networks[name] == nil {
            report("network", name, of: service, at: network.mark, known: project.networks.keys)
        }
        for mount in service.volumes where mount.kind == .volume {
            guard let source = mount.source, project.volumes[source] == nil else { continue }
            report("volume", source, of: service, at: mount.mark, known: project.volumes.keys)
        }
        for reference in service.configs where project.configs[reference.source] == nil {
            report("config", reference.source, of: service, at: reference.mark, known: project.configs.keys)
        }
        for reference in service.secrets + (service.build?.secrets ?? [])
        where project.secrets[reference.source] == nil {
            report("secret", reference.source, of: service, at: reference.mark, known: project.secrets.keys)
        }
        for (name, model) in service.models where project.models[name] == nil {
            report("model", name, of: service, at: model.mark, known: project.models.keys)
        }
    }

    private func report(
        _ kind: String, _ name: String, of service: Service, at mark: Mark, known: some Sequence<String>
    ) {
        let near = nearest(name, in: known)
        state.error(
            "the service \(service.name) refers to the \(kind) \(name), which is not defined", at: mark,
            hint: near.map { "did you mean \($0)?" } ?? "define it under `\(kind)s:`")
    }

    private func checkNetworkMode(_ service: Service) {
        guard service.networkMode != nil, !service.networks.isEmpty else { return }
        state.error(
            "the service \(service.name) has both network_mode and networks", at: service.mark(of: "network_mode"),
            hint: "keep one of them")
    }

    private func checkMounts(_ service: Service) {
        var places: [String: Mark] = [:]
        let mounts = service.tmpfs.map { ($0.target, $0.mark) } + service.volumes.map { ($0.target, $0.mark) }
        for (target, mark) in mounts {
            if let other = places[target] {
                state.error(
                    "the service \(service.name) mounts \(target) twice, also at \(other)", at: mark, hint: "remove one"
                )
            }
            places[target] = mark
        }
    }

    private func checkContainerName(_ service: Service) {
        guard service.containerName != nil, let scale = service.scale, scale > 1 else { return }
        state.error(
            "the service \(service.name) has a container_name and \(scale) replicas",
            at: service.mark(of: "container_name"),
            hint: "remove container_name")
    }

    private func checkContainerNames() {
        var owners: [String: String] = [:]
        for service in project.services.values {
            guard let name = service.containerName else { continue }
            if let owner = owners[name] {
                state.error(
                    "the services \(owner) and \(service.name) have the same container_name \(name)",
                    at: service.mark(of: "container_name"), hint: "rename one of them")
            }
            owners[name] = service.name
        }
    }

    private func checkBuild(_ service: Service) {
        guard let build = service.build else { return }
        if build.dockerfile != nil, build.dockerfileInline != nil {
            state.error(
                "the service \(service.name) has both dockerfile and dockerfile_inline",
                at: service.mark(of: "build.dockerfile_inline"), hint: "keep one of them")
        }
        if let platform = service.platform, !build.platforms.isEmpty, !build.platforms.contains(platform) {
            state.error(
                "the service \(service.name) runs on \(platform), which is not in build.platforms",
                at: service.mark(of: "build.platforms"), hint: "add it")
        }
        for (name, context) in build.additionalContexts where context.hasPrefix("service:") {
            let target = String(context.dropFirst(8))
            let other = project.services[target] ?? project.disabledServices[target]
            guard other?.build == nil else { continue }
            let what = other == nil ? "is not defined" : "is not built"
            state.error(
                "the build context \(name) of \(service.name) is the service \(target), which \(what)",
                at: service.mark(of: "build.additional_contexts"), hint: "name a service with a build")
        }
    }

    /// Finds services that depend on each other, by a search without recursion: chains may be as long as the project.
    private func checkCycles() {
        var settled: Set<String> = []
        for start in project.services.keys where !settled.contains(start) {
            var path: [String] = []
            var stack: [(name: String, next: Int)] = [(start, 0)]
            var onPath: Set<String> = [start]
            path.append(start)
            while let top = stack.last {
                let targets = project.services[top.name]?.dependsOn
                guard let targets, top.next < targets.count else {
                    settled.insert(top.name)
                    onPath.remove(top.name)
                    path.removeLast()
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let (target, dependency) = targets.elements[top.next]
                if onPath.contains(target) {
                    let names = (path.drop { $0 != target } + [target]).joined(separator: " → ")
                    state.error(
                        "the services depend on each other: \(names)", at: dependency.mark,
                        hint: "remove one dependency")
                } else if !settled.contains(target), project.services[target] != nil {
                    stack.append((target, 0))
                    onPath.insert(target)
                    path.append(target)
                }
            }
        }
    }
}
