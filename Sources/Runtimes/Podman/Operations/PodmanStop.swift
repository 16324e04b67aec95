import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering

extension PodmanRuntime {
    package func stop(
        _ deployment: DeploymentModel, options: StopOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) {
        let operation = StopOperation(podman: served().podman, model: deployment, options: options, events: events)
        try await operation.refuseCopy()
        guard options.services.isEmpty else { return try await operation.removeChosen() }
        await RouteProxy(podman: podman, settings: routes, model: deployment, events: events).withdraw()
        do {
            try await operation.removePods()
            try await operation.removeObjects()
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
        if options.deleteVolumes { try await operation.deleteData() }
    }
}

extension PodmanRuntime {
    package func data(_ deployment: DeploymentModel) async throws(DeploymentError) -> [DeploymentData] {
        let operation = StopOperation(podman: podman, model: deployment, options: StopOptions(), events: { _ in })
        do {
            return try await operation.ownVolumes().map { .volume($0) }
                + deployment.ownDirectories().map { .directory($0) }
                + (Files.exists(deployment.secretsFile) ? [.secrets] : [])
        } catch {
            throw DeploymentError(podman: error)
        }
    }
}

/// One stop. It asks podman what there is, and needs nothing of what was rendered but the order.
struct StopOperation: Sendable {
    let podman: Podman
    let model: DeploymentModel
    let options: StopOptions
    let events: EventHandler

    /// A copy of a deployment stops nothing of the original, and deletes none of its data.
    func refuseCopy() async throws(DeploymentError) {
        do {
            let observed = try await podman.observe(deployment: model.id, images: [])
            try Ownership.refuseCopy(observed, model)
            let label = PodmanNames.deployment
            let volumes = try await podman.records(
                PodmanVolumeRecord.self, PodmanArguments.volumes(label: label, value: model.id))
            for volume in volumes { try Ownership.refuse("volume \(volume.Name)", labels: volume.Labels, for: model) }
            let networks = try await podman.records(
                PodmanNetworkRecord.self, PodmanArguments.networks(label: label, value: model.id))
            for network in networks {
                try Ownership.refuse("network \(network.name)", labels: network.labels, for: model)
            }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }

    /// Removes the pods, whoever depends on another one first, until podman knows of none. Something that an interrupted start was still making shows up
    /// at the second look.
    func removePods() async throws {
        var isAnnounced = false
        while true {
            let observed = try await podman.observe(deployment: model.id, images: [])
            let loose = observed.containers.filter { ($0.PodName ?? "").isEmpty }
            if observed.pods.isEmpty, loose.isEmpty { return await Preflight.endForgotten(model, podman, events) }
            if !isAnnounced { announce(observed.pods) }
            isAnnounced = true
            if !loose.isEmpty {
                try await podman.remove(loose, graceSeconds: options.graceSeconds ?? 10)
            }
            for wave in waves(observed.pods) {
                try await withCommandGroup(wave) { (pod) throws(CommandFailure) in
                    try await remove(pod, observed.containers(ofPod: pod.Name))
                }
            }
        }
    }

    /// Removes the pods of the chosen services alone.
    func removeChosen() async throws(DeploymentError) {
        var names: Set<String> = []
        for service in options.services { names.insert(try model.workload(named: service).name) }
        do {
            let observed = try await podman.observe(deployment: model.id, images: [])
            let chosen = observed.pods.filter { names.contains($0.label(PodmanNames.workload) ?? "") }
            announce(chosen)
            for wave in waves(chosen) {
                try await withCommandGroup(wave) { (pod) throws(CommandFailure) in
                    try await remove(pod, observed.containers(ofPod: pod.Name))
                }
            }
        } catch {
            throw DeploymentError(podman: error)
        }
    }

    private func announce(_ pods: [PodmanPodRecord]) {
        let items = pods.map {
            Plan.Item(kind: "pod", name: $0.Name, service: $0.label(PodmanNames.workload) ?? $0.Name, action: .remove)
        }
        events(Event(nil, .planned(Plan(items: items))))
    }

    private func remove(_ pod: PodmanPodRecord, _ containers: [PodmanContainerRecord]) async throws(CommandFailure) {
        let service = pod.label(PodmanNames.workload) ?? pod.Name
        events(Event(service, .stopping))
        let spec = model.rendered.workloads.first { $0.name == service }.flatMap(model.rendered.podTemplate)?.spec
        let hooks = containers.filter { $0.State == "running" }.compactMap { container in
            let own = spec?.containers.first { $0.name == container.label(PodmanNames.container) }
            return (own?.lifecycle?.preStop?.exec?.command).map { (container.name, $0) }
        }
        let grace = options.graceSeconds ?? spec?.terminationGracePeriodSeconds ?? 10
        let left = try await PreStop(podman: podman, service: service, graceSeconds: grace, events: events).run(hooks)
        try await podman.remove(pod: pod.Name, containers, graceSeconds: left)
        events(Event(service, .removed))
    }

    /// Pods that nothing depends on, then those that only they depended on, and so on. Unknown ones go first.
    private func waves(_ pods: [PodmanPodRecord]) -> [[PodmanPodRecord]] {
        var remaining = pods
        var waves: [[PodmanPodRecord]] = []
        while !remaining.isEmpty {
            let names = Set(remaining.compactMap { $0.label(PodmanNames.workload) })
            let needed = Set(
                model.rendered.workloads.filter { names.contains($0.name) }.flatMap(\.dependencies).map(\.workload))
            let free = remaining.filter { !needed.contains($0.label(PodmanNames.workload) ?? "") }
            // A cycle cannot be rendered; if there were one, its members go together.
            waves.append(free.isEmpty ? remaining : free)
            let gone = Set((waves.last ?? []).map(\.Id))
            remaining.removeAll { gone.contains($0.Id) }
        }
        return waves
    }

    /// The secrets in podman's store, the pods' own volumes and the network: the next start makes them again.
    func removeObjects() async throws {
        let orphans = OrphanPruner(podman: podman, model: model)
        try? Files.remove(ContainerProcess.directory(of: model))
        Fillings.removeAbandonedDirectories(beside: model.hostVolumes)
        if try await !orphans.isNamespaceForeign() { try await orphans.removeSecrets(keeping: []) }
        try await orphans.removeEphemeralVolumes(keeping: [])
        try await orphans.removeNetworks(keeping: nil, events: events)
    }

    // MARK: Data

    /// Deletes what only `--delete-volumes` may: volumes, the deployment's data directories, and the secrets that guarded them, in this order.
    func deleteData() async throws(DeploymentError) {
        do {
            let volumes = try await ownVolumes()
            if !volumes.isEmpty { try await podman.change(PodmanArguments.removeVolumes(volumes)) }
            for volume in volumes { events(Event(nil, .deleted("volume \(volume)"))) }
        } catch {
            throw DeploymentError(podman: error)
        }
        try await deleteDirectories()
        guard Files.exists(model.secretsFile) else { return }
        try SecretStore(file: model.secretsFile).delete()
        events(Event(nil, .deleted("generated secrets")))
    }

    func ownVolumes() async throws(CommandFailure) -> [String] {
        try await podman.records(
            PodmanVolumeRecord.self, PodmanArguments.volumes(label: PodmanNames.deployment, value: model.id)
        ).map(\.Name).sorted()
    }

    private func deleteDirectories() async throws(DeploymentError) {
        let kept = model.hostVolumes.filter { Files.exists($0) && !model.isOwnDirectory($0) } + model.keptDirectories()
        for path in Set(kept).sorted() { events(Event(nil, .kept("\(path): not made by so"))) }
        for path in model.ownDirectories() {
            try await delete(path)
            events(Event(nil, .deleted(path)))
        }
    }

    /// A link itself is removed, never what it points to. Files of a container's users may need podman's user namespace.
    private func delete(_ path: String) async throws(DeploymentError) {
        do {
            try Files.remove(path)
        } catch {
            do {
                try await podman.change(["unshare", "rm", "-rf", "--", path])
            } catch let failure {
                throw DeploymentError(
                    .cannotCreate, "\(path) cannot be deleted", cause: "\(error); \(failure.standardError)",
                    hint: "remove it as root: sudo rm -rf -- \(shellQuoted(path))")
            }
        }
    }
}
