import ExternalTools
import FoundationEssentials
import Glibc
import KubernetesObjects
import Rendering

/// What a volume's first content is made with: a container that never runs, a volume of podman's, and a directory beside the volume's own.
enum Fillings {
    private static let role = "fill"
    private static let mark = ".so-filling"
    /// On container and volume: the process that makes them.
    private static let process = "stack-orchestrator.dev/process"

    static func labels(_ model: DeploymentModel, pod: String) -> [String: String] {
        Ownership.labels(model).merging(
            [PodmanNames.role: role, PodmanNames.pod: pod, process: "\(getpid())"]
        ) { $1 }
    }

    static func directory(beside path: String) -> String { "\(path)\(mark)-\(getpid())" }

    /// Removes what a command left that was killed in between.
    static func removeAbandoned(
        _ model: DeploymentModel, _ observed: Observed, podman: Podman
    ) async throws(CommandFailure) {
        let containers = observed.containers.filter { isAbandoned($0.Labels) }
        if !containers.isEmpty { try await podman.remove(containers, graceSeconds: 0) }
        let volumes = try await podman.records(
            PodmanVolumeRecord.self, PodmanArguments.volumes(label: PodmanNames.deployment, value: model.id)
        ).filter { isAbandoned($0.Labels) }.map(\.Name)
        if !volumes.isEmpty { try await podman.change(PodmanArguments.removeVolumes(volumes)) }
        removeAbandonedDirectories(beside: model.hostVolumes)
    }

    static func removeAbandonedDirectories(beside paths: [String]) {
        for path in paths {
            let parent = Files.parent(of: path)
            let prefix = path.dropFirst(parent.count + 1) + mark
            for name in (try? Files.list(parent)) ?? [] where name.hasPrefix(prefix) {
                // One without a process is an older so's; the deployment's lock is ours.
                let rest = name.dropFirst(prefix.count)
                guard rest.isEmpty || rest.first == "-" && HostProcess.hasEnded(rest.dropFirst()) else { continue }
                try? FileManager.default.removeItem(atPath: "\(parent)/\(name)")
            }
        }
    }

    private static func isAbandoned(_ labels: [String: String]?) -> Bool {
        labels?[PodmanNames.role] == role && labels?[process].map { HostProcess.hasEnded($0) } ?? false
    }
}

extension DeploymentModel {
    /// The directories of this host that are volumes.
    var hostVolumes: [String] {
        rendered.objects.compactMap { object in
            guard case .persistentVolume(let volume) = object else { return nil }
            return volume.spec.hostPath?.path
        }
    }
}
