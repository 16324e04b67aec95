import ExternalTools
import FoundationEssentials
import Specs
import YAML

/// What is checked and made before the first pod.
enum Preflight {
    /// Throws with everything that the objects ask and that cannot be had.
    static func refuse(_ preparation: Preparation, _ model: DeploymentModel) throws(DeploymentError) {
        let errors = preparation.translation.findings.filter { $0.severity == .error }
        guard errors.isEmpty else {
            var error = DeploymentError(
                .unsupported, "podman cannot run what this deployment asks for; nothing was changed")
            error.diagnostics = errors
            throw error
        }
        let failures =
            preparation.translation.failures + preparation.translation.hostPaths.compactMap(missing)
            + preparation.translation.hostPaths.compactMap(leading)
            + preparation.translation.pods.flatMap(beyondLimits) + preparation.translation.pods.flatMap(absentDevices)
        guard failures.isEmpty else { throw failed(failures, "something that the services need is missing") }
    }

    private static func failed(_ failures: [ServiceFailure], _ what: String) -> DeploymentError {
        var error = DeploymentError(.failed, "\(what); nothing was changed")
        error.failures = failures
        return error
    }

    /// The limits that this host does not allow: the runtime would say so with a number of its own, and after the first pods.
    private static func beyondLimits(_ pod: PodmanPod) -> [ServiceFailure] {
        guard pod.replica == 1 else { return [] }
        return pod.containers.flatMap { container in
            HostLimits.excesses(in: container.limits).map { name, value, highest in
                ServiceFailure(
                    container.container, .notCreated,
                    "`ulimits`: \(name) of \(value) is above the \(highest) that this host allows",
                    hint: "lower it, or raise the hard limit of whoever runs so, or give it CAP_SYS_RESOURCE")
            }
        }
    }

    /// Devices of the Container Device Interface on a host that describes none.
    private static func absentDevices(_ pod: PodmanPod) -> [ServiceFailure] {
        guard pod.replica == 1, !describesDevices else { return [] }
        return pod.containers.compactMap { container in
            container.devices.first { !$0.hasPrefix("/") && $0.contains("=") }.map { name in
                ServiceFailure(
                    container.container, .missingReference, "the device \(name) is not described on this host",
                    hint:
                        "describe it in /etc/cdi, for instance with `nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml`"
                )
            }
        }
    }

    private static var describesDevices: Bool {
        ["/etc/cdi", "/var/run/cdi"].contains { directory in
            ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).contains {
                $0.hasSuffix(".json") || $0.hasSuffix(".yaml")
            }
        }
    }

    private static func missing(_ path: PodTranslator.HostPath) -> ServiceFailure? {
        let isWanted = ["File", "Directory", "Socket", "CharDevice", "BlockDevice"].contains(path.type)
        guard isWanted, !FileManager.default.fileExists(atPath: path.path) else { return nil }
        return ServiceFailure(
            path.service, .missingReference, "\(path.path), which it mounts, does not exist on this host",
            hint: "create it, or correct the volume")
    }

    /// A path below a volume's top may have become a link since a container wrote there.
    private static func leading(_ path: PodTranslator.HostPath) -> ServiceFailure? {
        guard let volume = path.volume else { return nil }
        let target = Files.canonical(path.path)
        guard !target.isPath(atOrBelow: Files.canonical(volume)) else { return nil }
        return ServiceFailure(
            path.service, .missingReference,
            "\(path.path), which it mounts, is a link that points outside its volume, to \(target)",
            hint: "see what put it there, and remove the link")
    }

    /// The network, volumes, secrets, files and directories; pods that were dropped are removed first. Returns the network's gateway where a pod needs
    /// it.
    static func prepareHost(
        _ model: DeploymentModel, _ preparation: Preparation, _ plan: PodmanPlan, _ observed: Observed, podman: Podman,
        events: @escaping EventHandler
    ) async throws(DeploymentError) -> String? {
        try makePaths(preparation, model)
        try Files.makeDirectory(ContainerProcess.directory(of: model), mode: 0o700, isExact: true)
        RunVariables.removeAbandoned(in: ContainerProcess.directory(of: model))
        let made = plan.decisions.filter { $0.action == .create || $0.action == .replace }
        do {
            let networks = DeploymentNetworks(model)
            let existing = try networks.owned(observed.networks)
            // Before a pod leaves: the others go on finding each other.
            for network in existing { Bridge.pinAddress(network) }
            if !model.hostVolumes.isEmpty { try await Fillings.removeAbandoned(model, observed, podman: podman) }
            try await refuseAbsentVolumes(preparation.translation.externalVolumes, podman)
            try await refuseLosingVolumes(preparation, model, podman)
            try await withCommandGroup(plan.dropped) { (pod) throws(CommandFailure) in
                try await podman.remove(pod: pod.Name, observed.containers(ofPod: pod.Name), graceSeconds: 10)
                events(Event(pod.label(PodmanNames.workload) ?? pod.Name, .removed))
            }
            if !made.isEmpty { await endForgotten(model, podman, events) }
            try refuseBusyPorts(plan, observed, model)
            let declared = ImageVolumes(images: observed.images)
            let wanted = preparation.translation.volumes + made.flatMap { declared.volumes(of: $0.pod) }.map(\.name)
            async let volumes: Void = makeVolumes(wanted, model, podman)
            async let secrets: Void = makeSecrets(made, model, podman)
            try await networks.make(besides: existing, podman: podman)
            _ = try await (volumes, secrets)
            guard made.contains(where: { $0.pod.needsGateway }) else { return nil }
            return networks.gateway(
                try await podman.records(PodmanNetworkRecord.self, PodmanArguments.allNetworks))
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }

    /// Ends what would hold the ports and volumes of the pods that are made next.
    static func endForgotten(_ model: DeploymentModel, _ podman: Podman, _ events: EventHandler) async {
        for name in await ForgottenContainers(podman: podman, namespace: model.namespace).end() {
            events(Event(nil, .deleted("container \(name), which podman had forgotten")))
        }
    }

    // MARK: Ports

    /// Only ports that no pod of ours holds: those are free again when it is replaced.
    private static func refuseBusyPorts(
        _ plan: PodmanPlan, _ observed: Observed, _ model: DeploymentModel
    ) throws(DeploymentError) {
        let dropped = Set(plan.dropped.map(\.Name))
        let held = Set(
            observed.containers.filter { !dropped.contains($0.PodName ?? "") && $0.mayRun }
                .flatMap { $0.Ports ?? [] }.flatMap { port in
                    (0..<max(1, port.range ?? 1)).map { "\((port.host_port ?? 0) + $0)/\(port.protocol ?? "tcp")" }
                })
        let starting = plan.decisions.filter { $0.action != .keep && $0.action != .remove }
        let failures = starting.flatMap { decision in
            decision.pod.hostPorts.filter { !held.contains("\($0.port)/\($0.transport)") && !HostPorts.isFree($0) }
                .map {
                    ServiceFailure(
                        decision.pod.workload, .portInUse, HostPorts.reason($0),
                        hint: HostPorts.hint($0, of: decision.pod.workload, model))
                }
        }
        guard failures.isEmpty else { throw failed(failures, "ports are taken") }
    }

    // MARK: Volumes and secrets

    private static func makeVolumes(_ wanted: [String], _ model: DeploymentModel, _ podman: Podman) async throws {
        guard !wanted.isEmpty else { return }
        let existing = try await podman.records(PodmanVolumeRecord.self, PodmanArguments.volumes(names: wanted))
        for volume in existing {
            // One without a label was filled by the user: it is used, and never removed.
            try Ownership.refuse("volume \(volume.Name)", labels: volume.Labels, for: model, allowsUnlabelled: true)
        }
        let missing = Set(wanted).subtracting(existing.map(\.Name)).sorted()
        try await withCommandGroup(missing) { (name) throws(CommandFailure) in
            try await podman.make(.volume(name: name, labels: Ownership.labels(model)))
        }
    }

    /// podman would make what it does not find, and the service would begin with nothing.
    private static func refuseAbsentVolumes(_ external: [String: Set<String>], _ podman: Podman) async throws {
        let names = Set(external.values.flatMap { $0 }).sorted()
        guard !names.isEmpty else { return }
        let existing = try await podman.records(PodmanVolumeRecord.self, PodmanArguments.volumes(names: names)).map(
            \.Name)
        let failures = external.sorted { $0.key < $1.key }.flatMap { service, volumes in
            volumes.subtracting(existing).sorted().map { name in
                ServiceFailure(
                    service, .missingReference, "podman has no volume \(name), which is `external`",
                    hint: "podman volume create \(shellQuoted(name)), or take `external: true` away")
            }
        }
        guard failures.isEmpty else { throw failed(failures, "volumes are missing") }
    }

    /// A deployment that changed its namespace would start on new, empty volumes, its data left behind under the old names.
    private static func refuseLosingVolumes(
        _ preparation: Preparation, _ model: DeploymentModel, _ podman: Podman
    ) async throws {
        guard !preparation.translation.volumes.isEmpty else { return }
        let own = try await podman.records(
            PodmanVolumeRecord.self, PodmanArguments.volumes(label: PodmanNames.deployment, value: model.id)
        ).map(\.Name)
        let prefix = model.namespace + "-"
        for wanted in preparation.translation.volumes where wanted.hasPrefix(prefix) && !own.contains(wanted) {
            let suffix = "-" + wanted.dropFirst(prefix.count)
            guard let old = own.first(where: { $0.hasSuffix(suffix) && !$0.hasPrefix(prefix) }) else { continue }
            throw DeploymentError(
                .notPermitted, "the data of this deployment's volume is in \(old), under its former namespace",
                hint: "write `namespace: \(old.dropLast(suffix.count))` again, or copy the data to a volume "
                    + "\(wanted) and `podman volume rm \(old)`")
        }
    }

    private static func makeSecrets(_ made: [PodDecision], _ model: DeploymentModel, _ podman: Podman) async throws {
        var wanted: [String: [UInt8]] = [:]
        for secret in made.flatMap(\.pod.all).flatMap(\.secretObjects) { wanted[secret.name] = secret.value }
        guard !wanted.isEmpty else { return }
        let existing = try await podman.secretNames()
        let missing = wanted.filter { !existing.contains($0.key) }.sorted { $0.key < $1.key }
        try await withCommandGroup(missing) { (name, value) throws(CommandFailure) in
            let arguments = PodmanArguments.createSecret(name, labels: [PodmanNames.deployment: model.id])
            try await podman.change(arguments, input: value)
        }
    }

    // MARK: Paths

    private static func makePaths(_ preparation: Preparation, _ model: DeploymentModel) throws(DeploymentError) {
        for path in preparation.translation.hostPaths where !FileManager.default.fileExists(atPath: path.path) {
            if path.type == "FileOrCreate" {
                try PrivateFile.write([], to: path.path, mode: 0o644)
            } else if path.type == "DirectoryOrCreate" || path.type.isEmpty {
                try Files.makeDirectory(path.path, isExact: true)
            }
        }
        for set in Set(preparation.translation.pods.flatMap(\.all).flatMap(\.fileSets)) {
            try FileSetStore(model).write(set)
        }
    }
}

extension PodmanPod {
    /// Whether an option names the network's gateway.
    var needsGateway: Bool {
        (options + all.flatMap(\.options)).contains(where: \.wantsGateway)
    }
}
