import ExternalTools
import FoundationEssentials
import Glibc
import YAML

extension StartOperation {
    /// Gives an empty directory what the image holds at its place, with owners and modes; where that is nothing, the owner that podman gives a volume
    /// of its own: the container's user.
    ///
    /// Podman does that for volumes of its own only. A volume of its own over a directory beside the empty one, and a container that
    /// is made and never run, let it do the same here; that needs no shell in the image. The directory then takes the empty one's
    /// place in one step, so that a copy that is cut short leaves the empty one.
    ///
    /// - Parameter process: image and process of the container as `podman create` takes them; nothing of it runs.
    func fill(
        _ copy: ContentCopy, for container: PodmanContainer, of pod: String, process: [String]
    ) async throws {
        // One at a time: the second service of a volume finds what the first one brought.
        try await fillGate.pass { () throws -> Void in
            guard Self.isEmpty(copy.path) else { return }
            let name = "\(container.name).fill"
            let directory = Fillings.directory(beside: copy.path)
            let labels = Fillings.labels(model, pod: pod)
            try await removeFilling(name)
            try? FileManager.default.removeItem(atPath: directory)
            try Files.makeDirectory(directory, isExact: true)
            let fresh = Self.owner(directory)
            defer { try? FileManager.default.removeItem(atPath: directory) }
            try await podman.runChecked(PodmanArguments.createVolume(name, labels: labels, over: directory))
            let user = container.user.map { [PodmanOption.whole("--user", $0)] } ?? []
            let mount = (user + [try PodmanOption.places("--volume", [name, copy.target])]).arguments
            let made = try await podman.command(PodmanArguments.create(name, labels: labels, options: mount + process))
                .result()
            // What the process lacks is told when it is to run.
            if made.status == 0 { _ = try await podman.command(PodmanArguments.initialize(name)).result() }
            try await removeFilling(name)
            // One that somebody has given an owner of their own keeps it, where there is nothing to put there.
            let isOwned = Self.owner(directory) != fresh && Self.owner(copy.path) == fresh
            guard !Self.isEmpty(directory) || isOwned else { return }
            guard rename(directory, copy.path) != 0 else { return }
            let what =
                "\(container.container): \(copy.path) stays empty: what its image holds at \(copy.target) cannot be put there"
            events(
                Event(
                    nil,
                    .note(
                        Diagnostic(
                            .warning, at: nil, what, hint: "copy it yourself, or write `volume: {nocopy: true}`"))))
        }
    }

    private func removeFilling(_ name: String) async throws(CommandFailure) {
        _ = try await podman.command(PodmanArguments.removeContainers([name], graceSeconds: 0)).result()
        _ = try await podman.command(PodmanArguments.removeVolumes([name])).result()
    }

    /// User and group; nil for what is not there.
    private static func owner(_ path: String) -> [UInt32]? {
        var status = stat()
        return lstat(path, &status) == 0 ? [status.st_uid, status.st_gid] : nil
    }

    private static func isEmpty(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty ?? false
    }
}
