import KubernetesClient
import Rendering

extension ClusterRuntime {
    package func watch(_ deployment: DeploymentModel, changed: @escaping @Sendable () -> Void) async {
        do {
            try await withSession(deployment) { session async throws(DeploymentError) in
                let selection = Selection(
                    namespace: session.namespace, labels: "\(Keys.instance)=\(session.model.id)")
                try await session.call { () async throws(KubernetesError) in
                    try await session.client.watch(.pods, selection) { _ in changed() }
                }
            }
        } catch {
            // Who asks next is told why the cluster does not answer.
        }
    }

    /// What `so run` makes in a cluster goes with its command.
    package func oneOffs(_ deployment: DeploymentModel) async throws(DeploymentError) -> [PodStatus] { [] }

    package func addresses(
        _ deployment: DeploymentModel, service: String
    ) async throws(DeploymentError) -> [ServiceAddress] {
        throw DeploymentError(.unsupported, "the addresses of \(service) are the cluster's own: use the service's name")
    }
}
