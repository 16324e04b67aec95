import OrderedCollections
import YAML

/// Decides which services are active.
struct ProfileSelection {
    let state: LoadState
    let profiles: [String]
    let services: [String]

    /// Moves what no active profile enables to the disabled services, then all but the wanted services and what they need.
    func apply(to project: inout Project) {
        var active = Set(profiles)
        for name in services {
            guard let service = project.services[name] else {
                let near = nearest(name, in: project.services.keys)
                state.error("no service \(name)", at: nil, hint: near.map { "did you mean \($0)?" })
                continue
            }
            if !isEnabled(service, active) { active.formUnion(service.profiles) }
        }
        project.profiles = profiles
        disable(in: &project) { !isEnabled($0, active) }
        checkDependencies(&project)
        guard !services.isEmpty else { return }
        let wanted = project.closure(of: services)
        disable(in: &project) { !wanted.contains($0.name) }
    }

    private func isEnabled(_ service: Service, _ active: Set<String>) -> Bool {
        service.profiles.isEmpty || active.contains("*") || service.profiles.contains { active.contains($0) }
    }

    private func disable(in project: inout Project, where condition: (Service) -> Bool) {
        for (name, service) in project.services where condition(service) {
            project.services[name] = nil
            project.disabledServices[name] = service
        }
    }

    /// A dependency on a disabled service is an error, or goes with a warning if it is not required.
    private func checkDependencies(_ project: inout Project) {
        for (name, service) in project.services {
            for (target, dependency) in service.dependsOn where project.services[target] == nil {
                if state.options.externalServices.contains(target) { continue }
                guard let disabled = project.disabledServices[target] else {
                    reportUndefined(target, of: service, dependency, in: project)
                    continue
                }
                let profiles = disabled.profiles.joined(separator: ", ")
                let what = "the service \(name) depends on \(target), which only the profile \(profiles) enables"
                if dependency.isRequired {
                    state.error(what, at: dependency.mark, hint: "enable the profile, or write `required: false`")
                } else {
                    state.warning("\(what); it is left out", at: dependency.mark)
                    project.services[name]?.dependsOn[target] = nil
                }
            }
        }
    }

    private func reportUndefined(
        _ target: String, of service: Service, _ dependency: Dependency, in project: Project
    ) {
        let near = nearest(target, in: project.services.keys)
        state.error(
            "the service \(service.name) depends on \(target), which is not defined", at: dependency.mark,
            hint: near.map { "did you mean \($0)?" } ?? "define it, or remove the dependency")
    }
}
