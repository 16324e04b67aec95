import ExternalTools
import FoundationEssentials
import Rendering

/// Brings a deployment's images to the nodes: those only that a node lacks.
struct KindImages: Sendable {
    let host: KindHost
    let cluster: String
    let events: EventHandler

    func provide(_ images: Set<String>) async throws(DeploymentError) {
        let nodes = try await host.nodes(of: cluster)
        for image in images.sorted() {
            // An image that this host does not have is for the node to pull.
            guard let id = await localID(image) else { continue }
            guard try await isMissing(image, id, in: nodes) else { continue }
            events(Event(nil, .pulling(image: "\(image) into the cluster \(cluster)")))
            try await load(image)
        }
    }

    private func localID(_ image: String) async -> String? {
        guard let output = try? await host.kind.imageID(image).result(), output.status == 0 else { return nil }
        let id = output.text
        return id.hasPrefix("sha256:") ? id : "sha256:\(id)"
    }

    private func isMissing(_ image: String, _ id: String, in nodes: [KindNode]) async throws(DeploymentError) -> Bool {
        for node in nodes {
            let output = try await host.run(host.kind.images(of: node.name))
            do {
                let images = try NodeImages(crictl: output.standardOutput)
                // The same content under another name still has to be named.
                if images.names[Self.fullName(image)] != id { return true }
            } catch {
                throw DeploymentError(
                    .unavailable, "the images of \(node.name) cannot be read", cause: error.description)
            }
        }
        return false
    }

    /// kind's own way fails with Docker's containerd image store: then an archive of the one platform is brought over.
    private func load(_ image: String) async throws(DeploymentError) {
        if host.kind.provider == .docker,
            let output = try? await host.kind.load(images: [image], into: cluster).result(),
            output.status == 0
        {
            return
        }
        let archive = "\(host.stateDirectory)/image-\(UInt32.random(in: 0 ... .max)).tar"
        defer { try? Files.remove(archive) }
        try makeDirectory(host.stateDirectory, mode: 0o700)
        try await host.run(host.kind.save(image, to: archive))
        try await host.run(host.kind.load(archive: archive, into: cluster))
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
