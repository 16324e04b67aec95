import OrderedCollections
import YAML

/// Fills in what compose takes for granted: the default network, implied dependencies, equal numbers in two places.
struct Normalizer {
    let state: LoadState

    func normalize(_ project: inout Project) {
        var needsDefault = false
        let containers = containerNames(project)
        for index in project.services.values.indices {
            var service = project.services.values[index]
            if !containers.isEmpty { nameServices(&service, containers) }
            if joinDefaultNetwork(&service) { needsDefault = true }
            addImpliedDependencies(&service)
            equalize(&service)
            if var build = service.build, build.context == nil {
                build.context = project.directory
                build.writtenContext = "."
                service.build = build
            }
            project.services.values[index] = service
        }
        if needsDefault, project.networks["default"] == nil {
            project.networks["default"] = Network(key: "default", name: "\(project.name)_default")
        }
    }

    /// Puts a service without networks and network_mode into the default network; whether it is in that.
    private func joinDefaultNetwork(_ service: inout Service) -> Bool {
        guard service.provider == nil, service.networkMode == nil else { return false }
        if service.networks.isEmpty { service.networks["default"] = ServiceNetwork(mark: service.mark) }
        return service.networks["default"] != nil
    }

    /// The service of each `container_name`.
    private func containerNames(_ project: Project) -> [String: String] {
        var result: [String: String] = [:]
        for service in project.services.values {
            if let name = service.containerName { result[name] = service.name }
        }
        return result
    }

    /// `container:NAME` of a container that this project makes is that service.
    private func nameServices(_ service: inout Service, _ containers: [String: String]) {
        func named(_ value: String?) -> String? {
            guard let value, value.hasPrefix("container:"), let owner = containers[String(value.dropFirst(10))],
                owner != service.name
            else { return value }
            return "service:\(owner)"
        }
        service.networkMode = named(service.networkMode)
        service.pid = named(service.pid)
        service.ipc = named(service.ipc)
        for index in service.volumesFrom.indices where service.volumesFrom[index].isContainer {
            guard let owner = containers[service.volumesFrom[index].name], owner != service.name else { continue }
            service.volumesFrom[index].name = owner
            service.volumesFrom[index].isContainer = false
        }
    }

    private func addImpliedDependencies(_ service: inout Service) {
        for link in service.links { imply(link.name, restart: true, at: link.mark, &service) }
        let namespaces = [
            ("network_mode", service.networkMode), ("ipc", service.ipc), ("pid", service.pid), ("uts", service.uts),
        ]
        for (key, value) in namespaces {
            guard let value, value.hasPrefix("service:") else { continue }
            imply(String(value.dropFirst(8)), restart: true, at: service.mark(of: key), &service)
        }
        for volumes in service.volumesFrom where !volumes.isContainer {
            imply(volumes.name, restart: false, at: volumes.mark, &service)
        }
    }

    private func imply(_ name: String, restart: Bool, at mark: Mark, _ service: inout Service) {
        guard service.dependsOn[name] == nil else { return }
        service.dependsOn[name] = Dependency(restart: restart, isImplied: true, mark: mark)
    }

    /// What `deploy` says too must say the same; where only `deploy` says it, the service's own field takes it.
    private func equalize(_ service: inout Service) {
        guard let deploy = service.deploy else { return }
        let limits = deploy.resources?.limits
        let reservations = deploy.resources?.reservations
        equalize(&service, \.scale, "scale", deploy.replicas, "deploy.replicas")
        equalize(&service, \.cpus, "cpus", limits?.cpus, "deploy.resources.limits.cpus")
        equalize(&service, \.memLimit, "mem_limit", limits?.memory, "deploy.resources.limits.memory")
        equalize(&service, \.pidsLimit, "pids_limit", limits?.pids, "deploy.resources.limits.pids")
        equalize(
            &service, \.memReservation, "mem_reservation", reservations?.memory, "deploy.resources.reservations.memory")
    }

    private func equalize<Value: Equatable>(
        _ service: inout Service, _ field: WritableKeyPath<Service, Value?>, _ key: String, _ other: Value?,
        _ otherKey: String
    ) {
        guard let other else { return }
        if let own = service[keyPath: field], own != other {
            state.error(
                "the service \(service.name) sets `\(key)` and `\(otherKey)` to different values",
                at: service.mark(of: key), hint: "keep one of them")
        } else {
            service[keyPath: field] = other
        }
    }
}
