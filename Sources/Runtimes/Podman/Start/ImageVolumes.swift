import ExternalTools
import SystemCrypto
import YAML

/// The volumes that an image declares (`VOLUME`) and no mount of its container covers.
///
/// Podman would make them without a name, and remove them with the container: a database without `volumes:` lost its data with every
/// replacement, where docker compose hands them on. Here they have a name of the container's, and are the deployment's like any other.
/// https://github.com/opencontainers/image-spec/blob/main/config.md (`Volumes`)
struct ImageVolumes {
    struct Volume: Hashable, Sendable {
        var name: String
        var path: String
    }

    let images: [String: PodmanImageRecord]

    /// Of a service; a job's belong to its one run.
    func volumes(of pod: PodmanPod) -> [Volume] {
        pod.isJob ? [] : pod.containers.flatMap(volumes)
    }

    func volumes(of container: PodmanContainer) -> [Volume] {
        let covered = Set(container.mountedPaths.map(Self.plain))
        return (images[container.image]?.Config?.Volumes ?? [:]).keys.sorted().compactMap { path in
            guard path.hasPrefix("/"), Self.plain(path) != "/", !covered.contains(Self.plain(path)) else { return nil }
            return Volume(name: Self.name(container.name, path), path: path)
        }
    }

    /// - Throws: ``UnwritablePart`` for a path that no option of podman's can hold.
    static func options(_ volumes: [Volume]) throws(UnwritablePart) -> [PodmanOption] {
        var options: [PodmanOption] = []
        for volume in volumes { options.append(try .places("--volume", [volume.name, volume.path])) }
        return options
    }

    private static func plain(_ path: String) -> String { Files.absolute(path) }

    /// `so-demo_db_db_var-lib-data.1a2b3c4d`: the digest tells paths apart that are written alike.
    private static func name(_ container: String, _ path: String) -> String {
        let words = path.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber)) }).joined(separator: "-")
        return "\(container)_\(words.prefix(64)).\(sha256Hex(path).prefix(8))"
    }
}

extension StartOperation {
    /// Removes what a pod that has gone kept in volumes without a name of the user's, and makes those volumes again.
    ///
    /// One that another replica still uses stays, and is named.
    func renewAnonymousVolumes(_ pod: PodmanPod) async throws {
        let own = ImageVolumes(images: images).volumes(of: pod).map(\.name)
        for name in Set(pod.containers.flatMap(\.anonymousVolumes) + own).sorted() {
            let removal = try await podman.command(PodmanArguments.removeVolumes([name]), cancellation: .finish)
                .result()
            guard removal.status == 0 else {
                events(
                    Event(pod.workload, .kept("volume \(name): \(preparation.mask(removal.standardError))")))
                continue
            }
            events(Event(pod.workload, .deleted("volume \(name)")))
            try await podman.change(PodmanArguments.createVolume(name, labels: Ownership.labels(model)))
        }
    }
}
