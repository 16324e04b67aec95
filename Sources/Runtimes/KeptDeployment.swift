import ExternalTools
import KubernetesClient
import KubernetesObjects
import Rendering

/// A deployment that a runtime has something of, as the labels of its objects tell.
package struct KeptDeployment: Hashable, Sendable {
    package var id: String
    /// Whose it is, in the words of who made it.
    package var owner: String
    /// What holds its data, by the names that the runtime has for it.
    package var volumes: [String]

    package init(id: String, owner: String, volumes: [String] = []) {
        self.id = id
        self.owner = owner
        self.volumes = volumes
    }
}

extension PodmanRuntime {
    package func kept(by keeper: String) async throws(DeploymentError) -> [KeptDeployment] {
        do {
            let label = Keys.keeper
            async let pods = podman.records(PodmanPodRecord.self, PodmanArguments.pods(label: label, value: keeper))
            async let containers = podman.records(
                PodmanContainerRecord.self, PodmanArguments.containers(label: label, value: keeper))
            async let networks = podman.records(
                PodmanNetworkRecord.self, PodmanArguments.networks(label: label, value: keeper))
            let volumes = try await podman.records(
                PodmanVolumeRecord.self, PodmanArguments.volumes(label: label, value: keeper))
            let all =
                try await pods.map(\.Labels) + containers.map(\.Labels) + networks.map(\.labels)
                + volumes.map(\.Labels)
            var found: [String: KeptDeployment] = [:]
            for labels in all.compactMap(\.self) {
                guard let id = labels[PodmanNames.deployment] else { continue }
                found[id] = KeptDeployment(id: id, owner: labels[PodmanNames.owner] ?? id)
            }
            for volume in volumes {
                guard let id = volume.Labels?[PodmanNames.deployment] else { continue }
                found[id]?.volumes.append(volume.Name)
            }
            return found.values.sorted { $0.id < $1.id }
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }
}

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
