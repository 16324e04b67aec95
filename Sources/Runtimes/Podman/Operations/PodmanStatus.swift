import ExternalTools
import FoundationEssentials
import Rendering

extension PodmanRuntime {
    package func status(_ deployment: DeploymentModel, probe: Bool) async throws(DeploymentError) -> [PodStatus] {
        let preparation = try await Preparation.make(deployment, podman: podman, commit: false)
        let routed = try await RouteProxy(podman: podman, settings: routes, model: deployment)
            .observe(preparation.translation.routes)
        do {
            let (observed, inspected) = try await observeWithDetails(deployment)
            let details = Dictionary(inspected.map { ($0.Id, $0) }) { $1 }
            let wanted = preparation.translation.pods
            var statuses = try await withCommandGroup(wanted) { (pod) throws(CommandFailure) in
                try await status(of: pod, observed, details, probe: probe, mask: preparation.mask)
            }
            let known = Set(wanted.map(\.name))
            statuses += observed.pods.filter { !known.contains($0.Name) }.map { dropped($0, observed) }
            return routed.showing(statuses)
        } catch {
            throw DeploymentError(podman: error)
        }
    }

    /// What another command removes between the two looks is looked for again.
    private func observeWithDetails(
        _ deployment: DeploymentModel
    ) async throws(CommandFailure) -> (Observed, [PodmanContainerInspection]) {
        var attempts = 0
        while true {
            let observed = try await podman.observe(deployment: deployment.id, images: [])
            let names = observed.containers.filter { $0.IsInfra != true }.map(\.Id)
            guard !names.isEmpty else { return (observed, []) }
            do {
                return (observed, try await podman.inspect(containers: names))
            } catch {
                attempts += 1
                guard error.isExit, attempts < 5 else { throw error }
            }
        }
    }

    private func status(
        of pod: PodmanPod, _ observed: Observed, _ details: [String: PodmanContainerInspection], probe: Bool,
        mask: SecretMask
    ) async throws(CommandFailure) -> PodStatus {
        let all = observed.containers(ofPod: pod.name)
        let main = all.filter { $0.label(PodmanNames.role) == "main" }
        var status = PodStatus(
            service: pod.workload, pod: pod.name, replica: pod.replica, containers: pod.containers.map(\.container),
            image: pod.containers.first?.image ?? "", state: .absent, isReady: false, isJob: pod.isJob, restarts: 0,
            ports: pod.published)
        guard !all.isEmpty else { return status }
        let named = main.first { $0.name == pod.containers.first?.name } ?? main.first
        if let image = named?.Image, !image.isEmpty { status.image = image }
        status.restarts = main.compactMap { details[$0.Id]?.RestartCount }.reduce(0, +)
        status.startedAt = main.compactMap(\.StartedAt).filter { $0 > 0 }.min()
        let worst = main.first { $0.State != "running" && $0.ExitCode != 0 } ?? main.first { $0.State != "running" }
        status.state = state(of: pod, main, worst)
        if let worst, worst.hasEnded { status.exitCode = worst.ExitCode }
        guard status.state == .running else {
            status.isReady = status.state == .completed && pod.mayEnd
            return status
        }
        let checks = pod.containers.filter { $0.readiness != nil }
        if checks.isEmpty {
            status.isReady = !isUnsettled(main, &status) && !pod.completes
        } else if probe {
            try await ask(checks, mask, &status)
            status.isReady = status.healthy == true && !pod.completes
        }
        return status
    }

    /// Between two crashes it runs; without a health check only time tells that it stays. A crash or two may heal.
    private func isUnsettled(_ main: [PodmanContainerRecord], _ status: inout PodStatus) -> Bool {
        guard status.restarts > 2, let latest = main.compactMap(\.StartedAt).max() else { return false }
        let seconds = Int(Date().timeIntervalSince1970) - latest
        guard seconds < Self.settling else { return false }
        status.state = .restarting
        status.health = "it ended \(status.restarts) times, and runs again for \(seconds) s"
        return true
    }

    /// Runs the health checks of a pod's containers.
    private func ask(
        _ containers: [PodmanContainer], _ mask: SecretMask, _ status: inout PodStatus
    ) async throws(CommandFailure) {
        for container in containers {
            guard let check = container.readiness else { continue }
            if let answer = try await podman.probe(check, container: container.name) { status.health = mask(answer) }
        }
        status.healthy = status.health == nil
    }

    /// Seconds that a container which ended has to stay up before it counts as ready.
    private static let settling = 10

    /// How a process ends that is stopped: by itself, or by SIGINT, SIGKILL or SIGTERM.
    private static let endedFromOutside: Set<Int> = [0, 130, 137, 143]

    private func state(
        of pod: PodmanPod, _ main: [PodmanContainerRecord], _ worst: PodmanContainerRecord?
    ) -> PodStatus.State {
        guard main.count == pod.containers.count else { return .failed }
        guard let worst else { return .running }
        guard worst.hasEnded else { return .failed }
        if pod.containers.contains(where: \.restartsAlways) {
            // Between two runs podman calls it `stopped`; one that it does not restart, because somebody ended it, is `exited`.
            guard worst.State == "exited" else { return .restarting }
            return Self.endedFromOutside.contains(worst.ExitCode ?? 0) ? .stopped : .failed
        }
        return worst.ExitCode == 0 ? .completed : .failed
    }

    /// A pod that the stack no longer asks for, or whose files nobody can read: what podman says of it.
    private func dropped(_ pod: PodmanPodRecord, _ observed: Observed) -> PodStatus {
        let containers = observed.containers(ofPod: pod.Name)
        let isRunning = containers.contains { $0.State == "running" }
        var status = PodStatus(
            service: pod.label(PodmanNames.workload) ?? pod.Name, pod: pod.Name,
            replica: pod.label(PodmanNames.replica).flatMap(Int.init) ?? 1,
            containers: containers.compactMap { $0.label(PodmanNames.container) }, image: containers.first?.Image ?? "",
            state: isRunning ? .running : .stopped, isReady: false, isJob: pod.label(PodmanNames.kind) == "job",
            restarts: 0, ports: observed.containers.first { $0.PodName == pod.Name }.map(\.published) ?? [])
        status.startedAt = containers.compactMap(\.StartedAt).filter { $0 > 0 }.min()
        return status
    }
}

extension PodmanContainerRecord {
    /// The ports that it publishes on this host.
    fileprivate var published: [PodStatus.Port] {
        (Ports ?? []).flatMap { port in
            (0..<max(1, port.range ?? 1)).compactMap { offset in
                guard let host = port.host_port else { return nil }
                return PodStatus.Port(
                    hostIP: port.host_ip ?? "", hostPort: host + offset, containerPort: port.container_port + offset,
                    transport: port.protocol ?? "tcp")
            }
        }
    }
}

extension PodmanPod {
    /// The ports that it publishes on this host.
    var published: [PodStatus.Port] {
        hostPorts.map {
            PodStatus.Port(
                hostIP: $0.address, hostPort: $0.port, containerPort: $0.containerPort, transport: $0.transport)
        }
    }
}
