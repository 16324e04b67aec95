import ExternalTools
import FoundationEssentials

/// Knows of every end of one of the deployment's containers, from podman's own events: a container that podman restarts at once is never seen
/// ended by looking.
actor DeathWatch {
    struct Death: Sendable {
        var exitCode: Int
        var time: ContinuousClock.Instant
    }

    private var deaths: [String: [Death]] = [:]
    private var seen: Set<String> = []
    /// False where podman keeps no events: then its restart counts have to do.
    private(set) var isAvailable = true

    func deaths(of container: String) -> [Death] { deaths[container] ?? [] }

    /// Listens until the task is cancelled.
    func listen(_ podman: Podman, deployment: String, since: Int) async {
        await podman.followEvents(["died"], deployment: deployment, since: since) { event in
            guard let id = event.ID else { return }
            await self.record(id, exitCode: event.ContainerExitCode ?? 0, time: event.Time)
        }
        isAvailable = false
    }

    private func record(_ container: String, exitCode: Int, time: String?) {
        // A podman that takes over from another one tells again what happened in the same second.
        guard time.map({ seen.insert(container + $0).inserted }) ?? true else { return }
        deaths[container, default: []].append(Death(exitCode: exitCode, time: .now))
    }
}

extension Podman {
    /// Hands out the deployment's events until the task is cancelled, or podman keeps none. One podman listens for five minutes, then the next.
    func followEvents(
        _ kinds: [String], deployment: String, since: Int, _ body: @escaping @Sendable (PodmanEvent) async -> Void
    ) async {
        var since = since
        while !Task.isCancelled {
            let until = Int(Date().timeIntervalSince1970) + 300
            let arguments = PodmanArguments.events(
                kinds, label: PodmanNames.deployment, value: deployment, since: since, until: until)
            let status = try? await command(arguments).lines { (stream, line) throws(CommandFailure) in
                if stream == .standardOutput, let event = PodmanEvent(line: line) { await body(event) }
            }
            // Podman without events, or a clock that was set back: not to be asked again and again.
            guard status == 0, Int(Date().timeIntervalSince1970) >= until - 1 else { return }
            since = until - 1
        }
    }
}
