package import ExternalTools

/// Runs the rendered objects as pods of podman, without a cluster.
///
/// What podman has is read from podman each time, by the labels of ``PodmanNames``; nothing about it is kept on disk. So every operation goes on from
/// whatever state an earlier one, a reboot or a user has left.
package struct PodmanRuntime: Runtime {
    var podman: Podman
    let routes: RouteSettings
    /// So many pods are made at a time: more only get in each other's way.
    let makers: Gate
    let containerEvents: PodmanEvents
    private let service: PodmanSocketService?

    /// - Parameters:
    ///   - makers: shared by all deployments of a process.
    ///   - containerEvents: likewise.
    ///   - service: likewise; nil: a podman is started for each question.
    package init(
        podman: Podman, routes: RouteSettings, makers: Gate = Gate(places: 8),
        containerEvents: PodmanEvents = PodmanEvents(), service: PodmanSocketService?
    ) {
        self.podman = podman
        self.routes = routes
        self.makers = makers
        self.containerEvents = containerEvents
        self.service = service
    }

    package func applyRoutes(_ deployment: DeploymentModel) async throws(DeploymentError) {
        let preparation = try await Preparation.make(deployment, podman: podman, commit: false)
        let host = RouteProxy(podman: podman, settings: routes, model: deployment)
        let state = try await host.observe(preparation.translation.routes)
        guard !state.isSettled else { return }
        try await host.prepare(state)
        try await host.apply(state.wanted)
    }

    /// The same for work that asks podman much.
    func served() -> PodmanRuntime {
        var runtime = self
        runtime.podman = podman.served(by: service)
        return runtime
    }

    func containers(of deployment: DeploymentModel) async throws(DeploymentError) -> [PodmanContainerRecord] {
        do {
            return try await podman.containers(of: deployment.id)
        } catch {
            throw DeploymentError(podman: error)
        }
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
