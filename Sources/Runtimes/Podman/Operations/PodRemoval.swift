import ExternalTools

extension Podman {
    /// Removes a pod with its containers, which have the grace to end.
    ///
    /// What runs is stopped first, by a command of its own: podman forgets a container that is being stopped, by an earlier command which may
    /// have been killed, without ending it. Stopping it again waits for its end, or brings it about.
    ///
    /// - Parameter containers: what podman knows to be in the pod.
    func remove(
        pod: String, _ containers: [PodmanContainerRecord], graceSeconds: Int
    ) async throws(CommandFailure) {
        try await end(containers, graceSeconds: graceSeconds)
        try await runChecked(PodmanArguments.removePods([pod], graceSeconds: 0))
    }

    /// Removes containers that are in no pod.
    func remove(_ containers: [PodmanContainerRecord], graceSeconds: Int) async throws(CommandFailure) {
        try await end(containers, graceSeconds: graceSeconds)
        try await runChecked(PodmanArguments.removeContainers(containers.map(\.Id), graceSeconds: 0))
    }

    /// Stops a container that podman restarts whenever it ends. A stop that meets it between two runs has no effect, so it is repeated.
    ///
    /// - Returns: whether it stays as it is.
    func stopForGood(_ container: String, graceSeconds: Int) async throws(CommandFailure) -> Bool {
        for _ in 0..<30 {
            let stop = PodmanArguments.stop([container], graceSeconds: graceSeconds)
            _ = try await command(stop, cancellation: .finish).result()
            if try await inspect(containers: [container]).first?.State.Status == "exited" { return true }
        }
        return false
    }

    private func end(_ containers: [PodmanContainerRecord], graceSeconds: Int) async throws(CommandFailure) {
        let alive = containers.filter(\.mayRun).map(\.Id)
        guard !alive.isEmpty else { return }
        // One that ended meanwhile is an error to podman; what does not end now is killed by the removal.
        _ = try await command(
            PodmanArguments.stop(alive, graceSeconds: graceSeconds), cancellation: .finish
        ).result()
    }
}

extension PodmanContainerRecord {
    /// Whether a process of it may be there: it runs, is being stopped, or podman does not know.
    var mayRun: Bool { !["configured", "created", "initialized", "exited", "stopped", "paused"].contains(State) }
}
