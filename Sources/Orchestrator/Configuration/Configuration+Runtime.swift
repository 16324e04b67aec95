import Deployments
import KubernetesClient
import Specs
package import Workspaces

extension Configuration {
    /// Verifies that agents can run from this host: the engine that builds their images, and the cluster.
    ///
    /// - Throws: ``OrchestratorError`` (`unavailable`) or `WorkspaceError` that says what is missing, and how to get it.
    package func checkRuntime(_ context: WorkspaceContext) async throws {
        guard let target = DeploymentTarget(rawValue: runtime) else { return }
        _ = try ImageEngine.find(environment: context.environment)
        let place = SessionRuntime(target, kubeconfig: kubeConfig, imageRegistry: imageRegistry)
        if let problem = context.problem(of: place) {
            throw OrchestratorError(.unavailable, problem.found, hint: problem.hint)
        }
        // A kind cluster of this host is made when the first session wants it.
        guard target == .kubernetes else { return }
        do {
            let access = try ClusterAccess.resolve(file: kubeConfig, environment: context.environment)
            _ = try await KubernetesClient(access).version()
        } catch {
            throw OrchestratorError(
                .unavailable, "the cluster does not answer", cause: error.description,
                hint: "correct `kube-config`, or write `runtime: podman`")
        }
    }
}
