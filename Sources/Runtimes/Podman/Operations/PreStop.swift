import ExternalTools
import YAML

/// What a pod had of its grace, and what its containers' `pre_stop` commands have left of it.
///
/// They count as part of it, and one that does not end is not waited for longer, as in Kubernetes:
/// https://kubernetes.io/docs/concepts/containers/container-lifecycle-hooks/#hook-handler-execution
struct PreStop: Sendable {
    /// A container has at least so long for its own end.
    private static let leastSeconds = 2

    let podman: Podman
    let service: String
    let graceSeconds: Int
    let events: EventHandler

    /// Runs the commands one after another. Whatever they answer, the containers are stopped.
    ///
    /// - Parameter hooks: the containers that run, with their commands.
    /// - Returns: the seconds that the containers have left to end.
    func run(_ hooks: [(container: String, command: [String])]) async throws(CommandFailure) -> Int {
        guard graceSeconds > 0, !hooks.isEmpty else { return graceSeconds }
        let begin = ContinuousClock.now
        for hook in hooks {
            let left = Double(graceSeconds) - (ContinuousClock.now - begin).seconds
            if left > 0, try await ends(hook.container, hook.command, within: left) { continue }
            let text =
                "the pre_stop command of \(service) did not end within its grace of \(graceSeconds) s; the service is stopped without it"
            events(
                Event(
                    service,
                    .note(Diagnostic(.warning, at: nil, text, hint: "give it longer: stop_grace_period of \(service)")))
            )
            break
        }
        let left = Double(graceSeconds) - (ContinuousClock.now - begin).seconds
        return max(min(Self.leastSeconds, graceSeconds), Int(left.rounded(.up)))
    }

    private func ends(_ container: String, _ hook: [String], within seconds: Double) async throws(CommandFailure)
        -> Bool
    {
        try await podman.command(PodmanArguments.exec(container, hook)).result(within: .seconds(seconds)) != nil
    }
}
