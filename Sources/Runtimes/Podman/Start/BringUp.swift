import ExternalTools
import FoundationEssentials
import YAML

extension StartOperation {
    /// Makes, starts or keeps a pod; returns the ids of its main containers by name.
    func bringUp(_ decision: PodDecision) async throws -> [String: String] {
        let pod = decision.pod
        switch decision.action {
        case .keep, .remove, .update: break
        case .start:
            events(Event(pod.workload, .creating))
            let names = decision.containers.filter { $0.State != "running" }.map(\.name)
            for name in names { process(of: name)?.removeLeft() }
            let command = podman.command(PodmanArguments.start(names), cancellation: .finish)
            let output = try await gate.pass { () throws(CommandFailure) in try await command.result() }
            // What cannot be started as it is can be recreated.
            guard output.status == 0 else { return try await create(decision) }
            events(Event(pod.workload, .started))
        case .create, .replace:
            return try await create(decision)
        }
        return Dictionary(decision.containers.map { ($0.name, $0.Id) }) { $1 }
    }

    private func create(_ decision: PodDecision) async throws -> [String: String] {
        let pod = decision.pod
        if decision.existing != nil {
            events(Event(pod.workload, .replacing(reason: decision.reason ?? "it changed")))
            let left = try await runPreStop(pod, decision.containers)
            try await podman.remove(pod: pod.name, decision.containers, graceSeconds: left)
            if options.renewsAnonymousVolumes { try await renewAnonymousVolumes(pod) }
        }
        events(Event(pod.workload, .creating))
        try await makeEphemeralVolumes(pod)
        let labels = labels(pod.labels, decision)
        try await make(pod, labels)
        for step in pod.steps { try await run(step, of: decision) }
        var ids: [String: String] = [:]
        for container in pod.containers {
            ids[container.name] = try await launch(container, of: decision)
            events(Event(pod.workload, .started))
            if let hook = container.postStart { try await runHook(hook, container, pod) }
        }
        return ids
    }

    /// The labels by which it is known again, and is known to be this deployment's.
    private func labels(_ labels: [String: String], _ decision: PodDecision) -> [String: String] {
        var labels = labels.merging(Ownership.labels(model)) { $1 }
        labels[PodmanNames.fingerprint] = decision.fingerprint
        return labels
    }

    /// Makes a pod, whose name an interrupted start may have taken meanwhile: its podman comes to its end after it.
    private func make(_ pod: PodmanPod, _ labels: [String: String]) async throws {
        for _ in 1..<3 {
            if try await isMade(pod, labels) { return }
            try await removeHalfMadePod(pod)
        }
        try await gate.pass { () throws(CommandFailure) in try await makeOnce(pod, labels) }
    }

    /// - Returns: false where podman says no.
    private func isMade(_ pod: PodmanPod, _ labels: [String: String]) async throws(CommandFailure) -> Bool {
        do {
            try await gate.pass { () throws(CommandFailure) in try await makeOnce(pod, labels) }
        } catch {
            guard error.isExit else { throw error }
            return false
        }
        return true
    }

    private func makeOnce(_ pod: PodmanPod, _ labels: [String: String]) async throws(CommandFailure) {
        guard pod.hasInfra else { return try await podman.make(.pod(name: pod.name, labels: labels)) }
        let options = withGateway(pod.options).arguments
        try await podman.change(PodmanArguments.createPod(pod.name, labels: labels, options: options))
    }

    /// - Throws: ``DeploymentError`` (`notPermitted`) where the pod of that name is somebody else's.
    private func removeHalfMadePod(_ pod: PodmanPod) async throws {
        let found = try await podman.records(PodmanPodRecord.self, PodmanArguments.pods(name: pod.name))
        for other in found where other.Name == pod.name {
            try Ownership.refuse("pod \(other.Name)", labels: other.Labels, for: model)
            let containers = try await podman.containers(of: model.id)
            try await podman.remove(
                pod: other.Name, containers.filter { $0.PodName == other.Name && $0.IsInfra != true },
                graceSeconds: pod.graceSeconds)
        }
    }

    /// - Throws: ``DeploymentError`` (`notPermitted`) where the container of that name is somebody else's.
    private func removeHalfMade(_ container: PodmanContainer, _ pod: PodmanPod) async throws {
        let found = try await podman.records(
            PodmanContainerRecord.self, PodmanArguments.containers(name: container.name)
        ).filter { $0.name == container.name }
        for other in found { try Ownership.refuse("container \(other.name)", labels: other.Labels, for: model) }
        if !found.isEmpty { try await podman.remove(found, graceSeconds: pod.graceSeconds) }
    }

    private func makeEphemeralVolumes(_ pod: PodmanPod) async throws {
        for volume in pod.ephemeralVolumes {
            _ = try? await podman.change(PodmanArguments.removeVolumes([volume]))
            let labels = Ownership.labels(model).merging([PodmanNames.pod: pod.name]) { $1 }
            try await podman.make(.volume(name: volume, labels: labels))
        }
    }

    /// Runs an init step to its end.
    private func run(_ step: PodmanContainer, of decision: PodDecision) async throws {
        let pod = decision.pod
        events(Event(pod.workload, .initStep(step.container)))
        let id = try await launch(step, of: decision)
        let code = try await unlessAbandoned { try await exitCode(of: id) }
        guard code == 0 else {
            throw Interruption.failure(
                ServiceFailure(
                    pod.workload, .initFailed, "its init step \(step.container) ended with exit code \(code)",
                    log: await lastLines(of: id)))
        }
    }

    /// Starts one container and returns its id.
    private func launch(_ container: PodmanContainer, of decision: PodDecision) async throws -> String {
        let pod = decision.pod
        let labels = labels(container.labels, decision)
        let (entrypoint, arguments) = try processArguments(container, pod)
        for copy in container.contentCopies {
            try await fill(
                copy, for: container, of: pod.name, process: entrypoint + ["--", container.image] + arguments)
        }
        let written = process(of: container.name)
        written?.removeLeft()
        let pidFile = written.map { ["--pidfile", $0.file] } ?? []
        var container = container
        container.limits = HostLimits.completing(container.limits)
        let isService = pod.containers.contains { $0.name == container.name } && !pod.isJob
        let volumes = isService ? ImageVolumes(images: images).volumes(of: container) : []
        let options = try withGateway(container.options) + ImageVolumes.options(volumes)
        func command(_ further: [PodmanOption] = []) -> Command {
            podman.command(
                PodmanArguments.run(
                    name: container.name, pod: pod.name, labels: labels,
                    options: (options + further).arguments + pidFile + entrypoint + ["--", container.image]
                        + arguments),
                cancellation: .finish)
        }
        let directory = workingDirectory(options)
        let output = try await run(container, pod, command(), withDirectory: directory.map { command([$0]) })
        guard output.status == 0 else { throw Interruption.failure(refusal(output, container, pod)) }
        // Where it replaced a container of an earlier try, podman prints that one's name first.
        let id = output.text.utf8.split(separator: UInt8(ascii: "\n")).last
        return id.map { String(decoding: $0, as: UTF8.self) } ?? output.text
    }

    /// Runs a container, and once more where that is known to help.
    private func run(
        _ container: PodmanContainer, _ pod: PodmanPod, _ command: Command, withDirectory second: Command?
    ) async throws -> CommandOutput {
        var output = try await gate.pass { () throws(CommandFailure) in try await command.result() }
        if output.status == 125, !Task.isCancelled {
            // Podman itself said no, perhaps for what an interrupted start has made under the same name meanwhile.
            try await removeHalfMade(container, pod)
            output = try await gate.pass { () throws(CommandFailure) in try await command.result() }
        }
        if output.status == 126, let second, !Task.isCancelled {
            // Docker makes a working directory that the image lacks, podman does not: a volume of the container makes it.
            try await removeHalfMade(container, pod)
            let other = try await gate.pass { () throws(CommandFailure) in try await second.result() }
            if other.status == 0 { output = other }
        }
        return output
    }

    /// A volume at the container's working directory, where it has one that can be written down.
    private func workingDirectory(_ options: [PodmanOption]) -> PodmanOption? {
        options.first { $0.name == "--workdir" }?.value.flatMap { try? .places("--volume", [$0]) }
    }

    /// Why podman would not start a container. Its exit codes: https://docs.podman.io/en/latest/markdown/podman-run.1.html#exit-status
    private func refusal(_ output: CommandOutput, _ container: PodmanContainer, _ pod: PodmanPod) -> ServiceFailure {
        let words = preparation.mask(output.standardError).split(separator: "\n").map(String.init)
        if let busy = pod.hostPorts.first(where: { !HostPorts.isFree($0) }) {
            return ServiceFailure(
                pod.workload, .portInUse, HostPorts.reason(busy), hint: HostPorts.hint(busy, of: pod.workload, model),
                log: words)
        }
        let command = container.entrypoint?.first?.literal ?? container.arguments?.first?.literal ?? "its command"
        switch output.status {
        case 126:
            // Also a user or a limit that cannot be had: podman's own words tell which.
            return ServiceFailure(
                pod.workload, .commandNotFound, "\(command) cannot be run in the image \(container.image)",
                hint:
                    "podman says why: the command must be an executable file there, its user exist, its limits be allowed; where no container runs at all: so doctor",
                log: words)
        case 127:
            return ServiceFailure(
                pod.workload, .commandNotFound, "\(command) was not found in the image \(container.image)",
                hint: "correct command or entrypoint", log: words)
        default:
            return ServiceFailure(
                pod.workload, .notCreated, "podman would not start it",
                hint: "podman says why; where no container runs at all: so doctor", log: words)
        }
    }

    func withGateway(_ options: [PodmanOption]) -> [PodmanOption] {
        guard let gateway else { return options }
        return options.map { $0.resolved(gateway: gateway) }
    }

    // MARK: Commands

    /// The entrypoint option, and what follows the image.
    ///
    /// A secret in a command must not stand in podman's arguments. There a shell of the image puts it in, from the container's environment, and
    /// becomes the command.
    func processArguments(
        _ container: PodmanContainer, _ pod: PodmanPod
    ) throws -> (entrypoint: [String], arguments: [String]) {
        let all = (container.entrypoint ?? []) + (container.arguments ?? [])
        if all.allSatisfy({ $0.literal != nil }) {
            let arguments = (container.arguments ?? []).compactMap(\.literal)
            guard let entrypoint = container.entrypoint?.compactMap(\.literal) else { return ([], arguments) }
            return (["--entrypoint", jsonArray(entrypoint)], arguments)
        }
        let image = (images[container.image]?.Config?.Entrypoint ?? []).map { CommandWord(pieces: [.text($0)]) }
        let words = (container.entrypoint ?? image) + (container.arguments ?? [])
        let script = "exec " + words.map(\.shellWord).joined(separator: " ")
        return (["--entrypoint", jsonArray(["/bin/sh", "-c", script])], [])
    }

    private func jsonArray(_ words: [String]) -> String { Node.list(words.map { .string($0) }).json() }

    // MARK: Hooks

    private func runHook(_ hook: [String], _ container: PodmanContainer, _ pod: PodmanPod) async throws {
        let command = podman.command(PodmanArguments.exec(container.name, hook))
        let output = try await unlessAbandoned { try await command.result() }
        guard output.status != 0 else { return }
        let words = preparation.mask(output.standardError).split(separator: "\n").map(String.init)
        throw Interruption.failure(
            ServiceFailure(
                pod.workload, .hookFailed, "its post_start command ended with exit code \(output.status)", log: words))
    }

    /// - Returns: the seconds that its containers have left to end.
    private func runPreStop(_ pod: PodmanPod, _ containers: [PodmanContainerRecord]) async throws -> Int {
        let running = Set(containers.filter { $0.State == "running" }.map(\.name))
        let hooks = pod.containers.compactMap { container in
            running.contains(container.name) ? container.preStop.map { (container.name, $0) } : nil
        }
        let grace = options.graceSeconds ?? pod.graceSeconds
        return try await PreStop(podman: podman, service: pod.workload, graceSeconds: grace, events: events).run(hooks)
    }

    // MARK: Ends

    /// Waits for the end of a container.
    ///
    /// Podman forgets what its `wait` answers five minutes after the end; what it knows of the container itself stays.
    func exitCode(of container: String) async throws -> Int {
        let command = podman.command(PodmanArguments.wait(container))
        let waited = try await command.result()
        if waited.status == 0, let code = Int(waited.text) { return code }
        let now = try await inspect(container).State
        guard ["exited", "stopped"].contains(now.Status) else {
            throw CommandFailure(
                .exited(waited.status), command: command.description, standardError: waited.standardError)
        }
        return now.ExitCode
    }

    func lastLines(of container: String) async -> [String] {
        let tails: [OutputStream: LineTail] = [
            .standardOutput: LineTail(limit: 20), .standardError: LineTail(limit: 20),
        ]
        let command = podman.command(PodmanArguments.logs(container, LogSelection()))
        _ = try? await command.lines { (stream, line) throws(CommandFailure) in await tails[stream]?.append(line) }
        var lines: [LogTime.Parts] = []
        for tail in tails.values { lines += await tail.lines.compactMap(LogTime.split) }
        return lines.sorted { $0.time < $1.time }.suffix(20).map { preparation.mask($0.text) }
    }
}

extension CommandWord {
    /// The word as /bin/sh puts it together: variables from the environment, everything else literally.
    fileprivate var shellWord: String {
        if pieces.isEmpty { return "''" }
        return pieces.map { piece in
            switch piece {
            case .text(let text): shellQuoted(text)
            case .secret(let name): "\"${\(name)}\""
            }
        }.joined()
    }
}
