import Compose
import OrderedCollections
import YAML

extension Layering {
    /// Warns of variables that reach nothing, and of those that repeat what compose says already.
    mutating func reportVariables(_ result: LayeredProject, _ environments: EnvironmentLayering) {
        let projects = [result.project] + result.jobs.values
        var used = environments.declared.union(chain.referenced)
        for project in projects { used.formUnion(project.variablesInUse) }
        for (name, variable) in chain.variables where !used.contains(name) && !name.hasPrefix("COMPOSE_") {
            reportUnreached(name, variable, candidates: projects)
        }
        for (name, variable) in chain.variables where variable.layer == .spec && !variable.value.isSecret {
            let evidence =
                environments.repeated[name, default: []] + projects.flatMap { $0.repeats(of: variable, name: name) }
            if !evidence.isEmpty, evidence.allSatisfy({ $0 }) {
                diagnostics.warning(
                    "config.\(name) repeats the stack's own default", at: variable.mark,
                    hint: "remove it: the two will differ some day")
            }
        }
    }

    private mutating func reportUnreached(_ name: String, _ variable: Variable, candidates: [Project]) {
        let known = candidates.flatMap { project in
            Array(project.variablesInUse) + project.services.values.flatMap { Array($0.environment.keys) }
        }
        let hint =
            nearest(name, in: known.sorted()).map { "did you mean '\($0)'?" }
            ?? "remove it, declare it in the compose file, or set `config-scope: all`"
        diagnostics.warning(
            "\(variable.layer.rawValue): no service declares or refers to the variable \(name)", at: variable.mark,
            hint: hint)
    }

    /// Warns of settings for services, volumes and pods that the stack does not have.
    mutating func reportUnknownNames(_ result: LayeredProject) {
        let projects = [result.project] + result.jobs.values
        let services = projects.flatMap { Array($0.services.keys) + Array($0.disabledServices.keys) }
        let volumes = projects.flatMap { Array($0.volumes.keys) }
        report(spec.network.ports.keys, "network.ports", "service", services)
        report(spec.resources.byContainer.keys, "resources.containers", "service", services)
        for (name, image) in spec.imageOverrides where !services.contains(name) {
            warn(name, "image-overrides", "service", services, at: image.mark)
        }
        report(spec.replicas.services.keys, "replicas", "service", services)
        report(spec.security.serviceAccounts.keys, "security.service-accounts", "service", services)
        report(spec.volumes.keys, "volumes", "volume", volumes)
        report(spec.configmaps.keys, "configmaps", "volume", volumes)
        report(spec.resources.byVolume.keys, "resources.volumes", "volume", volumes)
        for (name, value) in spec.colocation where !result.components.contains(where: { $0.name == name }) {
            warn(name, "overrides.pods", "pod", result.components.map(\.name), at: value.mark)
        }
    }

    private mutating func report(_ names: OrderedSet<String>, _ key: String, _ kind: String, _ known: [String]) {
        for name in names where !known.contains(name) {
            warn(name, key, kind, known, at: spec.mark(of: "\(key).\(name)"))
        }
    }

    private mutating func warn(_ name: String, _ key: String, _ kind: String, _ known: [String], at mark: Mark) {
        let hint = nearest(name, in: known).map { "did you mean '\($0)'?" } ?? "remove it"
        diagnostics.warning("\(key): the stack has no \(kind) '\(name)'", at: mark, hint: hint)
    }
}

extension Project {
    /// The variables that interpolation, configs or secrets refer to.
    package var variablesInUse: Set<String> {
        var names = Set(referencedVariables.keys)
        for source in configs.values.map(\.source) + secrets.values.map(\.source) {
            if case .environment(let name, _) = source { names.insert(name) }
        }
        return names
    }

    /// For every use of a variable, whether the default there says the same.
    fileprivate func repeats(of variable: Variable, name: String) -> [Bool] {
        interpolations.values.flatMap { uses in
            uses.filter { $0.name == name }.map { $0.unusedDefault == variable.value }
        }
    }
}
