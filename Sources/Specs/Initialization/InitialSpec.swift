package import Compose
package import OrderedCollections
package import YAML

/// What `deploy init` is asked for.
package struct SpecRequest: Sendable {
    /// What the spec names as its stack: a name, or an absolute path.
    package var stack: String
    package var target: DeploymentTarget
    /// Of `--config-file` and `--config`, already in one; it wins over the hook's.
    package var config: OrderedDictionary<String, Located<String>> = [:]
    package var kubeConfig: String?
    package var imageRegistry: String?
    /// What the stack's init hook printed, by ``parseSpec(_:file:directory:completeness:diagnostics:)`` as a fragment.
    package var fragment: Spec?
    /// What `~` in the stack's paths stands for; nil: such a path is an error.
    package var homeDirectory: String?

    package init(stack: String, target: DeploymentTarget) {
        self.stack = stack
        self.target = target
    }
}

/// Makes the spec that `deploy init` writes: what the hook and the operator said, the ports of the services, mapped, and the volumes.
/// Defaults that the compose files give are not repeated.
///
/// - Parameter ports: maps the ports by the recipe that was asked for.
/// - Returns: the spec, or nil if the diagnostics received an error.
package func initialSpec(
    _ stack: ResolvedStack, _ request: SpecRequest, ports: PortMapper, tree: FileTree, diagnostics: inout Diagnostics
) -> Spec? {
    var found = Diagnostics()
    var spec = request.fragment ?? Spec()
    spec.file = "the new spec"
    spec.stack = request.stack
    spec.deployTo = request.target
    spec.config.merge(request.config) { _, mine in mine }
    request.checkTarget(&spec, &found)
    var options = LayerOptions()
    options.homeDirectory = request.homeDirectory
    options.requiresInputs = false
    // Credentials need not exist where a spec is written.
    var partial = spec
    partial.credentialsFiles = []
    if let layered = layer(stack, spec: partial, options: options, tree: tree, diagnostics: &found) {
        let projects = [layered.project] + layered.jobs.values
        spec.addPorts(projects, ports, &found)
        spec.addVolumes(projects)
    }
    diagnostics.append(contentsOf: found.list)
    return found.hasErrors ? nil : spec
}

extension SpecRequest {
    fileprivate func checkTarget(_ spec: inout Spec, _ diagnostics: inout Diagnostics) {
        if let kubeConfig { spec.kubeConfig = Located(kubeConfig, at: Mark(file: "--kube-config")) }
        if let imageRegistry { spec.imageRegistry = imageRegistry }
        if target == .kubernetes {
            guard spec.kubeConfig == nil else { return }
            diagnostics.error("--deploy-to k8s needs a cluster", at: nil, hint: "add --kube-config <path>")
            return
        }
        for (flag, value) in [("--kube-config", kubeConfig), ("--image-registry", imageRegistry)] where value != nil {
            diagnostics.error(
                "\(flag) goes with --deploy-to k8s only, and this is \(target.rawValue)", at: nil,
                hint: "remove \(flag)")
        }
    }
}

extension Spec {
    fileprivate mutating func addPorts(
        _ projects: [Project], _ mapper: PortMapper, _ diagnostics: inout Diagnostics
    ) {
        var mapper = mapper
        for service in projects.flatMap(\.services.values) where network.ports[service.name] == nil {
            guard !service.ports.isEmpty else { continue }
            network.ports[service.name] = mapper.map(service.ports, service: service.name, diagnostics: &diagnostics)
        }
    }

    /// Lists the volumes that the operator has to place: those that are neither external nor given options by the author.
    fileprivate mutating func addVolumes(_ projects: [Project]) {
        var paths: OrderedDictionary<String, Located<String?>> = [:]
        for project in projects {
            for (name, volume) in project.volumes
            where !volume.isExternal && volume.driverOpts.isEmpty && configmaps[name] == nil && volumes[name] == nil {
                if deployTo != .podman, name.contains("config"), projects.allSatisfy({ $0.onlyReads(name) }) {
                    configmaps[name] = Located("./configmaps/\(name)")
                } else {
                    paths[name] = Located(deployTo == .kubernetes ? nil : "./data/\(name)")
                }
            }
        }
        volumes = paths.merging(volumes) { _, mine in mine }
    }
}

extension Project {
    /// Whether every mount of a volume is read-only.
    fileprivate func onlyReads(_ volume: String) -> Bool {
        services.values.allSatisfy { service in
            service.volumes.allSatisfy { $0.kind != .volume || $0.source != volume || $0.isReadOnly }
        }
    }
}
