import ExternalTools
import FoundationEssentials
import KubernetesClient

extension KindHost {
    /// The cluster to use, made where there is none: by one command of this host at a time. One whose creation was interrupted is recreated.
    ///
    /// - Parameters:
    ///   - wanted: its name, where it matters; a new one is called `so` else.
    ///   - image: the nodes' (https://kind.sigs.k8s.io/docs/user/configuration/#nodes); nil: kind's own.
    ///   - note: told what is waited for.
    /// - Returns: its name, and whether it was made now.
    package func ensure(
        named wanted: String?, mounts: [KindMount], image: String? = nil, note: @Sendable (String) -> Void
    ) async throws(DeploymentError) -> (name: String, isNew: Bool) {
        if let name = try await cluster(named: wanted), !Files.exists(marker(name)) { return (name, false) }
        do {
            try Files.makeDirectory(stateDirectory, mode: 0o700, isExact: true)
            let lock = try await DirectoryLock.acquire(
                path: "\(stateDirectory)/making.lock", holder: "process \(ProcessInfo.processInfo.processIdentifier)"
            ) { note("\($0), which makes the kind cluster") }
            let result = try await ensureLocked(wanted, mounts, image, note)
            _ = consume lock
            return result
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cancelled, "cancelled")
        }
    }

    private func ensureLocked(
        _ wanted: String?, _ mounts: [KindMount], _ image: String?, _ note: @Sendable (String) -> Void
    ) async throws -> (name: String, isNew: Bool) {
        // A kind that has only just begun has no node yet by which its cluster would be known.
        let expected = wanted ?? Self.defaultName
        if Files.exists(marker(expected)) { try await awaitOrphan(making: expected, note) }
        let existing = try await cluster(named: wanted)
        let name = existing ?? expected
        if existing != nil {
            guard Files.exists(marker(name)) else { return (name, false) }
            if name != expected { try await awaitOrphan(making: name, note) }
            // One that somebody else has made since is never deleted.
            let isOurs = try await nodes(of: name).contains { $0.has(MemlockHandler.nodePath) }
            let isWhole = isOurs ? try await isComplete(name) : true
            if isWhole {
                try Files.remove(marker(name))
                return (name, isOurs)
            }
            note("the kind cluster \(name), whose creation was interrupted, to be deleted")
            try await destroy(name)
        }
        let directories = Set(mounts.map(\.hostPath)).sorted().joined(separator: ", ")
        note("the kind cluster \(name) to be made" + (directories.isEmpty ? "" : ", which sees \(directories)"))
        try Files.write([], to: marker(name), mode: 0o600)
        try await create(name, mounts: mounts, image: image)
        try Files.remove(marker(name))
        return (name, true)
    }

    /// Stands while a cluster is being made.
    func marker(_ name: String) -> String { "\(stateDirectory)/making-\(name)" }

    /// A kind that outlived the `so` that began it would delete what is made in its cluster's place.
    private func awaitOrphan(making name: String, _ note: @Sendable (String) -> Void) async throws {
        func orphan() -> Int32? {
            let processes = ((try? Files.list("/proc")) ?? []).compactMap { Int32($0) }
            return processes.first { process in
                let line = (try? Files.read("/proc/\(process)/cmdline")) ?? []
                let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                return words.first?.split(separator: "/").last == "kind"
                    && words.dropFirst().starts(with: ["create", "cluster", "--name", name])
            }
        }
        guard let first = orphan() else { return }
        note("kind (process \(first)), which is still creating the cluster")
        let end = ContinuousClock.now + .seconds(Self.makingLimit)
        while let process = orphan() {
            let hasEnded = await HostProcess.awaitEnd(of: process, within: ContinuousClock.now.duration(to: end))
            try Task.checkCancellation()
            guard hasEnded else { throw lasts(process, name) }
        }
    }

    /// Seconds after which kind has given up by itself: it waits three minutes for the nodes, and pulls an image before.
    private static let makingLimit = 900.0

    private func lasts(_ process: Int32, _ name: String) -> DeploymentError {
        DeploymentError(
            .unavailable,
            "kind (process \(process)) is still creating the cluster \(name) after \(Int(Self.makingLimit)) s",
            hint: "end it: kill \(process); the next start recreates the cluster")
    }

    /// Whether kind came to its end: the last of its steps are the network, which makes nodes ready, and the storage class.
    private func isComplete(_ name: String) async throws -> Bool {
        guard let access = try? await access(to: name), let client = try? await KubernetesClient(access) else {
            return false
        }
        let missing = await client.missing(since: [:])
        let classes = try? await client.list(.storageClasses, Selection()).items
        await client.shutDown()
        return missing == nil && !(classes ?? []).isEmpty
    }

    /// Waits until a cluster that was there answers and has all its nodes, as after a restart of the host.
    func awaitReady(_ cluster: String, note: @Sendable (String) -> Void) async throws(DeploymentError) {
        let client: KubernetesClient
        do {
            client = try await KubernetesClient(access(to: cluster))
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.unavailable, "\(error)")
        }
        let boots = await bootTimes(of: cluster)
        let missing = await client.awaitNothingMissing(since: boots) { note("the kind cluster \(cluster)") }
        await client.shutDown()
        if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
        if let missing {
            throw DeploymentError(
                .unavailable, "the kind cluster \(cluster) does not become ready", cause: missing,
                hint: "see what its node says: \(kind.provider.program) logs \(cluster)-control-plane")
        }
    }
}
