import ExternalTools

/// Knows of every end of one of the deployment's containers, from podman's own events: a container that podman restarts at once is never seen
/// ended by looking.
actor ContainerExitMonitor {
    struct Death: Sendable {
        var exitCode: Int
        var time: ContinuousClock.Instant
    }

    private let source: PodmanEvents
    private var deaths: [String: [Death]] = [:]
    /// False where podman keeps no events: then its restart counts have to do.
    private(set) var isAvailable = true
    private let need: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
    private(set) var isNeeded = false

    init(_ source: PodmanEvents) {
        self.source = source
        need = AsyncStream.makeStream()
    }

    /// Has it listen from now on, and hear what happened before: a start whose pods all answer at once needs no podman that listens.
    func begin() {
        isNeeded = true
        need.continuation.finish()
    }

    func deaths(of container: String) -> [Death] { deaths[container] ?? [] }

    /// Listens from ``begin()`` until the task is cancelled.
    func listen(_ podman: Podman, deployment: String, since: Int) async {
        for await _ in need.stream {}
        if Task.isCancelled { return }
        await source.follow(podman, ["died"], deployment: deployment, since: since) { event in
            guard let id = event.ID else { return }
            await self.record(id, exitCode: event.ContainerExitCode ?? 0)
        }
        isAvailable = false
    }

    private func record(_ container: String, exitCode: Int) {
        deaths[container, default: []].append(Death(exitCode: exitCode, time: .now))
    }
}
