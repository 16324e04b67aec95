import ExternalTools
import Glibc
import Rendering

extension PodmanRuntime {
    package func prepareRun(
        _ deployment: DeploymentModel, _ request: RunRequest, events: @escaping EventHandler
    ) async throws(DeploymentError) -> PreparedRun {
        let workload = try deployment.workload(named: request.service)
        let preparation = try await Preparation.make(deployment, podman: podman, commit: true)
        try Preflight.refuse(preparation, deployment)
        let observed = try await observe(deployment, preparation, networks: true)
        var options = StartOptions()
        options.keepsOrphans = true
        options.pull = request.pull
        var plan = Planner.plan(deployment, preparation, observed, options)
        guard let decision = plan.decisions.first(where: { $0.pod.workload == workload.name }) else {
            throw DeploymentError(
                .missing, "\(request.service) has no replica to take the settings from",
                hint: "give it `scale: 1`, or a profile")
        }
        plan.decisions = [decision.once(publishesPorts: request.publishesPorts)]
        plan.dropped = []
        let images = try await Images(podman: podman, model: deployment, choice: request.pull, events: events)
            .provide(for: plan, existing: observed.images)
        let gateway = try await Preflight.prepareHost(
            deployment, preparation, plan, observed, podman: podman, events: events)
        let operation = StartOperation(
            podman: podman, model: deployment, options: StartOptions(), preparation: preparation, plan: plan,
            images: images, gateway: gateway, events: events, startup: StartupProgress(replicas: plan.replicas),
            watch: ContainerExitMonitor(containerEvents), gate: makers)
        return PreparedRun { [pod = plan.decisions[0].pod] (streams) async throws(DeploymentError) in
            try await operation.run(request.suited(to: streams), pod, on: streams)
        }
    }
}

extension StartOperation {
    fileprivate func run(
        _ request: RunRequest, _ pod: PodmanPod, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        try request.writeVariables(of: model)
        defer { try? Files.remove(request.variablesFile(of: model)) }
        do {
            return try await command(for: request, pod).run(on: streams)
        } catch {
            switch Interruption(error) {
            case .podman(let error): throw error
            default: throw DeploymentError(.cancelled, "cancelled")
            }
        }
    }

    /// A container beside the service's pod: with its variables, volumes, networks and user, without its names, health and restarts.
    fileprivate func command(for request: RunRequest, _ pod: PodmanPod) throws -> Command {
        let wanted = pod.containers.first { $0.container == request.service } ?? pod.containers.first
        guard var container = wanted else { throw CancellationError() }
        if !request.command.isEmpty { container.arguments = request.command.map { CommandWord(pieces: [.text($0)]) } }
        if let entrypoint = request.entrypoint {
            container.entrypoint = [CommandWord(pieces: [.text(entrypoint)])]
            if request.command.isEmpty { container.arguments = nil }
        }
        let (entrypoint, arguments) = try processArguments(container, pod)
        var labels = container.labels.merging(Ownership.labels(model)) { $1 }
        labels[PodmanNames.role] = "run"
        let dropped =
            (request.usesAliases ? [] : ["--network-alias"]) + (request.publishesPorts ? [] : ["--publish"])
        container.network = (pod.network + container.network).filter { !dropped.contains($0.name) }.map { option in
            // A fixed address is the service's own pod's.
            guard option.name == "--network", let value = option.value else { return option }
            return .whole("--network", String(value.prefix { $0 != ":" }))
        }
        (container.restart, container.stopSeconds) = (nil, nil)
        (container.process.isInteractive, container.process.hasTerminal) = (request.interactive, request.tty)
        container.process.workingDirectory = request.workingDirectory ?? container.process.workingDirectory
        container.user = request.user ?? container.user
        container.limits = HostLimits.completing(container.limits)
        var options = withGateway(container.options)
        if request.isDetached { options.append(.flag("--detach")) }
        if request.removes { options.append(.flag("--rm")) }
        if !request.fileVariables.isEmpty {
            options.removeAll { option in
                option.name == "--env" && request.fileVariables[String(option.value?.prefix { $0 != "=" } ?? "")] != nil
            }
            options.append(.whole("--env-file", request.variablesFile(of: model)))
        }
        options += request.environment.map { .whole("--env", $0) }
        options += request.addedCapabilities.map { .element("--cap-add", $0) }
        options += request.droppedCapabilities.map { .element("--cap-drop", $0) }
        options += request.volumes.map { .whole("--volume", $0) }
        options += request.ports.map { .element("--publish", $0) }
        options += request.labels.map { .whole("--label", $0) }
        let name = request.name ?? "\(pod.name)_run_\(UInt32.random(in: 0...UInt32.max))"
        var command = podman.command(
            PodmanArguments.runOnce(
                name: name, labels: labels,
                options: options.arguments + entrypoint + ["--", container.image] + arguments))
        // `--env NAME` takes the caller's own value of that very name.
        command.inherited?.names.formUnion(request.environment.filter { !$0.contains("=") })
        return command
    }
}

extension RunRequest {
    /// Where podman finds ``fileVariables``: no other process sees them among its arguments.
    fileprivate func variablesFile(of model: DeploymentModel) -> String {
        RunVariables.file(of: getpid(), in: ContainerProcess.directory(of: model))
    }

    fileprivate func writeVariables(of model: DeploymentModel) throws(DeploymentError) {
        guard !fileVariables.isEmpty else { return }
        let variables = fileVariables.sorted { $0.key < $1.key }
        if let long = variables.first(where: { $0.value.contains { $0.isNewline } }) {
            throw DeploymentError(
                .unsupported, "\(long.key) has a line break: podman takes none from an env file",
                hint: "give it with --env, or under `environment:` of \(service)")
        }
        let text = variables.map { "\($0.key)=\($0.value)\n" }.joined()
        try PrivateFile.write(Array(text.utf8), to: variablesFile(of: model))
    }
}

/// The files through which `run --env-from-file` hands variables to podman, one a process.
enum RunVariables {
    static func file(of process: pid_t, in directory: String) -> String { "\(directory)/run-\(process).env" }

    /// Removes what a run left that was killed: its variables may be secrets.
    static func removeAbandoned(in directory: String) {
        for name in (try? Files.list(directory)) ?? [] where name.hasPrefix("run-") && name.hasSuffix(".env") {
            guard HostProcess.hasEnded(name.dropFirst(4).dropLast(4)) else { continue }
            try? Files.remove("\(directory)/\(name)")
        }
    }
}

extension PodDecision {
    /// The pod as a run takes it: nothing of what there is is replaced.
    fileprivate func once(publishesPorts: Bool) -> PodDecision {
        var decision = self
        decision.action = .create
        if !publishesPorts { decision.pod.hostPorts = [] }
        return decision
    }
}
