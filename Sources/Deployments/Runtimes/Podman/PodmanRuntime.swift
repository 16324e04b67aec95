package import ExternalTools

/// Runs the rendered objects as pods of podman, without a cluster.
///
/// What podman has is read from podman each time, by the labels of ``PodmanNames``; nothing about it is kept on disk. So every operation goes on from
/// whatever state an earlier one, a reboot or a user has left.
package struct PodmanRuntime: Runtime {
    let podman: Podman

    package init(podman: Podman = Podman()) {
        self.podman = podman
    }

    package func plan(_ deployment: DeploymentModel) async throws(DeploymentError) -> Plan {
        let preparation = try await Preparation.make(deployment, podman: podman, commit: false)
        try Preflight.refuse(preparation, deployment)
        let observed = try await observe(deployment, preparation)
        return Planner.plan(deployment, preparation, observed).summary
    }

    func observe(
        _ deployment: DeploymentModel, _ preparation: Preparation, networks: Bool = false
    ) async throws(DeploymentError) -> Observed {
        do {
            return try await podman.observe(
                deployment: deployment.id, images: preparation.images, networks: networks)
        } catch {
            throw DeploymentError(podman: error)
        }
    }
}
