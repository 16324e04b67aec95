import ExternalTools
import Rendering

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
