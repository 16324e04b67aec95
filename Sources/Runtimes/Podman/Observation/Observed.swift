import ExternalTools

/// What podman has of one deployment at this moment.
struct Observed: Sendable {
    var containers: [PodmanContainerRecord]
    var pods: [PodmanPodRecord]
    /// By the name that the objects use; absent where this host has no such image.
    var images: [String: PodmanImageRecord]
    /// Every network of this podman; empty where nobody asked.
    var networks: [PodmanNetworkRecord] = []

    func pod(_ name: String) -> PodmanPodRecord? { pods.first { $0.Name == name } }

    /// The containers of a pod, without the one that holds its network.
    func containers(ofPod name: String) -> [PodmanContainerRecord] {
        containers.filter { $0.PodName == name && $0.IsInfra != true }
    }

    var imageIDs: [String: String] { images.mapValues(\.Id) }
}

extension Podman {
    /// Every container of a deployment, whether it runs or not.
    func containers(of deployment: String) async throws(CommandFailure) -> [PodmanContainerRecord] {
        try await records(
            PodmanContainerRecord.self, PodmanArguments.containers(label: PodmanNames.deployment, value: deployment))
    }

    /// Asks for everything at once.
    func observe(
        deployment id: String, images: Set<String>, networks isNetworkAsked: Bool = false
    ) async throws(CommandFailure) -> Observed {
        async let containers = self.containers(of: id)
        async let pods = records(
            PodmanPodRecord.self, PodmanArguments.pods(label: PodmanNames.deployment, value: id))
        async let found = inspect(images: images.sorted())
        async let networks =
            isNetworkAsked ? records(PodmanNetworkRecord.self, PodmanArguments.allNetworks) : []
        do {
            return Observed(
                containers: try await containers.map { isRemote ? $0 : $0.truthful }, pods: try await pods,
                images: try await found,
                networks: try await networks)
        } catch {
            throw commandFailure(error)
        }
    }

    /// The images that exist, by the names asked for. One call where all exist.
    func inspect(images: [String]) async throws(CommandFailure) -> [String: PodmanImageRecord] {
        guard !images.isEmpty else { return [:] }
        if let all = try await inspectAll(images) { return Dictionary(zip(images, all)) { $1 } }
        guard images.count > 1 else { return [:] }
        return try await withCommandGroup(images) { (image) throws(CommandFailure) in
            try await inspectAll([image])?.first.map { (image, $0) }
        }.reduce(into: [:]) { result, pair in
            if let pair { result[pair.0] = pair.1 }
        }
    }

    /// Nil where one of them does not exist: podman then says nothing of the others.
    private func inspectAll(_ images: [String]) async throws(CommandFailure) -> [PodmanImageRecord]? {
        do {
            let records = try await records(PodmanImageRecord.self, PodmanArguments.inspectImages(images))
            return records.count == images.count ? records : nil
        } catch  where error.isExit {
            return nil
        }
    }
}

extension Podman {
    /// Everything about some containers.
    ///
    /// podman reads the process of each, and fails for all where one ends at that very moment: it is asked again, a few times, for a
    /// container that keeps ending is one that somebody wants to hear about.
    func inspect(containers names: [String]) async throws(CommandFailure) -> [PodmanContainerInspection] {
        var attempts = 0
        while true {
            do {
                return try await records(PodmanContainerInspection.self, PodmanArguments.inspectContainers(names))
            } catch {
                attempts += 1
                guard error.isExit, attempts < 10 else { throw error }
            }
        }
    }
}

extension PodmanContainerRecord {
    /// The record, with the state `lost` where podman says that it runs and its process is gone: what watched over it was killed with it,
    /// and podman never looks.
    fileprivate var truthful: Self {
        guard State == "running", let Pid, Pid > 0, !HostProcess.runs(Int32(truncatingIfNeeded: Pid))
        else { return self }
        var record = self
        record.State = "lost"
        return record
    }
}
