import ExternalTools

/// Knows of every end of one of the deployment's containers, from podman's own events: a container that podman restarts at once is never seen
/// ended by looking.
actor DeathWatch {
    struct Death: Sendable {
        var exitCode: Int
        var time: ContinuousClock.Instant
    }

    private var deaths: [String: [Death]] = [:]
    /// False where podman keeps no events: then its restart counts have to do.
    private(set) var isAvailable = true

    func deaths(of container: String) -> [Death] { deaths[container] ?? [] }

    /// Listens until the task is cancelled.
    func listen(_ podman: Podman, deployment: String, since: Int) async {
        let arguments = PodmanArguments.events(
            ["died"], label: PodmanNames.deployment, value: deployment, since: since)
        do {
            _ = try await podman.command(arguments).lines { (stream, line) throws(CommandFailure) in
                guard stream == .standardOutput, let event = PodmanEvent(line: line), let id = event.ID else { return }
                await self.record(id, exitCode: event.ContainerExitCode ?? 0)
            }
        } catch {
            // Cancelled, or podman without events: both end the listening, and the latter is told by `isAvailable`.
        }
        isAvailable = false
    }

    private func record(_ container: String, exitCode: Int) {
        deaths[container, default: []].append(Death(exitCode: exitCode, time: .now))
    }
}
