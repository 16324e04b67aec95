import KubernetesClient
import Rendering

extension ClusterRuntime {
    package func kept(by keeper: String) async throws(DeploymentError) -> [KeptDeployment] {
        try await withClient { client async throws(KubernetesError) in
            let labels = "\(Keys.managedBy)=so,\(Keys.keeper)=\(keeper)"
            var found: [KeptDeployment] = []
            for space in try await client.list(.namespaces, Selection(labels: labels)).items where !space.isTerminating
            {
                guard let id = space.labels[Keys.instance] else { continue }
                let claims = try await client.list(.persistentVolumeClaims, Selection(namespace: space.name)).items
                found.append(
                    KeptDeployment(
                        id: id, owner: space.annotations[Keys.deploymentDirectory] ?? space.name,
                        volumes: claims.map { "\(space.name)/\($0.name)" }.sorted()))
            }
            return found.sorted { $0.id < $1.id }
        }
    }
}
