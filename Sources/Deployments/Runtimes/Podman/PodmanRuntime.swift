package import ExternalTools
import FoundationEssentials

/// Runs the rendered objects as pods of podman, without a cluster.
///
/// What podman has is read from podman each time, by the labels of ``PodmanNames``; nothing about it is kept on disk. So every operation goes on from
/// whatever state an earlier one, a reboot or a user has left.
package struct PodmanRuntime: Runtime {
    let podman: Podman
    let routes: RouteSettings
    /// So many pods are made at a time: more only get in each other's way.
    let makers: Gate

    package init(
        podman: Podman = Podman(),
        routes: RouteSettings = RouteSettings(environment: ProcessInfo.processInfo.environment),
        makers: Gate = Gate(places: 8)
    ) {
        self.podman = podman
        self.routes = routes
        self.makers = makers
    }

    package var hasIngress: Bool { true }

    package func applyRoutes(_ deployment: DeploymentModel) async throws(DeploymentError) {
        let preparation = try await Preparation.make(deployment, podman: podman, commit: false)
        let host = RouteHost(podman: podman, settings: routes, model: deployment)
        let state = try await host.observe(preparation.translation.routes)
        guard !state.isSettled else { return }
        try await host.prepare(state)
        try await host.apply(state.wanted)
    }

    package func plan(
        _ deployment: DeploymentModel, options: StartOptions
    ) async throws(DeploymentError) -> Plan {
        let preparation = try await Preparation.make(deployment, podman: podman, commit: false)
        try Preflight.refuse(preparation, deployment)
        let observed = try await observe(deployment, preparation)
        let host = RouteHost(podman: podman, settings: routes, model: deployment)
        let state = try await host.observe(preparation.translation.routes)
        try await host.refuse(state)
        return Plan(items: Planner.plan(deployment, preparation, observed, options).summary.items + state.items)
    }

    func observe(
        _ deployment: DeploymentModel, _ preparation: Preparation, networks: Bool = false
    ) async throws(DeploymentError) -> Observed {
        let observed: Observed
        do {
            observed = try await podman.observe(
                deployment: deployment.id, images: preparation.images, networks: networks)
        } catch {
            throw DeploymentError(podman: error)
        }
        try Ownership.refuseCopy(observed, deployment)
        return observed
    }
}
