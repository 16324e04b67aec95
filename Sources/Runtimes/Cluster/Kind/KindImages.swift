import ExternalTools
import FoundationEssentials
import Glibc
import Rendering

/// Brings a deployment's images to the nodes: those only that a node lacks.
struct KindImages: Sendable {
    let host: KindHost
    let cluster: String
    let events: EventHandler

    func provide(_ images: Set<String>) async throws(DeploymentError) {
        Self.removeAbandoned(in: host.stateDirectory)
        // An image that this host does not have is for the node to pull.
        let local = await LocalImage.find(images, by: host.kind)
        guard !local.isEmpty else { return }
        let nodes = try await host.nodes(of: cluster)
        var loaded = LoadedImages(file: "\(host.stateDirectory)/loaded-images.yml", nodes: nodes.map(\.id))
        let before = try await ids(on: nodes)
        let missing = local.filter { image in
            let name = Self.fullName(image.name)
            return nodes.contains { !loaded.has(name, image.id, on: $0.id, as: before[$0.id]?[name]) }
        }
        guard !missing.isEmpty else { return }
        for image in missing {
            events(Event(nil, .loading(image: image.name, cluster: cluster)))
            try await load(image)
        }
        try await nameAsPodsDo(missing, on: nodes)
        let after = try await ids(on: nodes)
        for image in missing {
            let name = Self.fullName(image.name)
            for node in nodes { loaded.note(name, image.id, on: node.id, as: after[node.id]?[name]) }
        }
        try loaded.write()
    }

    /// By node, the ids of its images by their names: the same content under another name still has to be named.
    private func ids(on nodes: [KindNode]) async throws(DeploymentError) -> [String: [String: String]] {
        var result: [String: [String: String]] = [:]
        for node in nodes {
            let output = try await host.run(host.kind.images(of: node.name))
            do {
                result[node.id] = try NodeImages(crictl: output.standardOutput).names
            } catch {
                throw DeploymentError(
                    .unavailable, "the images of \(node.name) cannot be read", cause: error.description)
            }
        }
        return result
    }

    /// podman calls an image without a registry localhost/…, also in an archive; containerd calls it docker.io/….
    private func nameAsPodsDo(_ images: [LocalImage], on nodes: [KindNode]) async throws(DeploymentError) {
        let names = images.filter { $0.store == .podman }.map { Self.fullName($0.name) }.compactMap { name in
            Self.podmanName(name).map { (podman: $0, containerd: name) }
        }
        guard !names.isEmpty else { return }
        let present = try await ids(on: nodes)
        for node in nodes {
            for name in names where present[node.id]?[name.podman] != nil {
                try await host.run(host.kind.tag(name.podman, as: name.containerd, on: node.name))
            }
        }
    }

    /// What podman calls an image of this host that containerd calls docker.io/…; nil for another registry's.
    static func podmanName(_ name: String) -> String? {
        for prefix in ["docker.io/library/", "docker.io/"] where name.hasPrefix(prefix) {
            return "localhost/\(name.dropFirst(prefix.count))"
        }
        return nil
    }

    /// kind's own way fails with Docker's containerd image store: then an archive of the one platform is brought over.
    private func load(_ image: LocalImage) async throws(DeploymentError) {
        if host.kind.provider == .docker, image.store == .docker,
            let output = try? await host.kind.load(images: [image.name], into: cluster).result(),
            output.status == 0
        {
            return
        }
        let archive = "\(host.stateDirectory)/\(Self.archiveName(of: getpid()))"
        defer { try? Files.remove(archive) }
        try Files.makeDirectory(host.stateDirectory, mode: 0o700, isExact: true)
        try await host.run(host.kind.with(image.store).save(image.name, to: archive))
        try await host.run(host.kind.load(archive: archive, into: cluster))
    }

    /// An archive is named after the process that writes it, so that the next one knows what a killed one left: some gigabytes, perhaps.
    static func archiveName(of process: Int32) -> String {
        "image-\(process)-\(UInt32.random(in: 0 ... .max)).tar"
    }

    static func removeAbandoned(in directory: String) {
        for name in (try? Files.list(directory)) ?? [] where name.hasPrefix("image-") && name.hasSuffix(".tar") {
            let parts = name.dropFirst(6).dropLast(4).split(separator: "-")
            guard parts.count == 2, HostProcess.hasEnded(parts[0]) else { continue }
            try? Files.remove("\(directory)/\(name)")
        }
    }

    /// The name as containerd has it: with its registry and tag.
    static func fullName(_ image: String) -> String {
        var name = image
        let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let first = parts[0]
        let hasRegistry = parts.count > 1 && (first.contains(".") || first.contains(":") || first == "localhost")
        if !hasRegistry { name = parts.count > 1 ? "docker.io/\(name)" : "docker.io/library/\(name)" }
        let last = name.split(separator: "/").last ?? ""
        return last.contains(":") || last.contains("@") ? name : "\(name):latest"
    }
}
