package import ExternalTools

/// Runs the rendered objects as pods of podman, without a cluster.
package struct PodmanRuntime: Runtime {
    let podman: Podman

    package init(podman: Podman = Podman()) {
        self.podman = podman
    }

    package func plan(_ deployment: DeploymentModel) async throws(DeploymentError) -> Plan { Plan() }
    package func start(
        _ deployment: DeploymentModel, options: StartOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult { StartResult(plan: Plan()) }
    package func stop(
        _ deployment: DeploymentModel, options: StopOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) {}
    package func status(_ deployment: DeploymentModel, probe: Bool) async throws(DeploymentError) -> [PodStatus] { [] }
    package func logs(
        _ deployment: DeploymentModel, _ request: LogRequest, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {}
    package func exec(_ deployment: DeploymentModel, _ request: ExecRequest) async throws(DeploymentError) -> Int { 0 }
    package func runJob(
        _ deployment: DeploymentModel, job: String, events: @escaping EventHandler,
        line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int { 0 }
}
