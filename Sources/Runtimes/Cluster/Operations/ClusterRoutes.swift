import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

extension ClusterRuntime {

    /// Applies the Ingresses that the cluster has already; a start makes the others.
    package func applyRoutes(_ deployment: DeploymentModel) async throws(DeploymentError) {
        try await withSession(deployment) { session async throws(DeploymentError) in
            let observed = try await session.observe()
            try observed.refuseForeignNamespace(deployment)
            let routes = try session.routes(by: observed.ingress).filter { route in
                observed.objects[route.key].map { observed.isOwn($0, deployment) && !route.isUnchanged(in: $0) }
                    ?? false
            }
            _ = try await session.each(routes) { route async throws(DeploymentError) in
                try await session.call { () async throws(KubernetesError) in try await session.client.apply(route.node)
                }
            }
        }
    }
}

extension ClusterSession {
    fileprivate func routes(by means: IngressDefaults?) throws(DeploymentError) -> [DesiredObject] {
        var result: [DesiredObject] = []
        for object in model.rendered.objects {
            guard case .ingress = object else { continue }
            do {
                let key = ObjectKey(.ingresses, object.name, namespace: namespace)
                let node = try object.node()
                result.append(DesiredObject(key: key, node: means?.completing(node) ?? node).fingerprinted())
            } catch {
                throw DeploymentError(.unsupported, "\(object.identity) cannot be written", cause: "\(error)")
            }
        }
        return result
    }
}
