import YAML

/// Under which id a node has what an engine's image became when it was loaded.
///
/// Docker's containerd image store, the default since Docker 29, names an image by its manifests, and a node by its configuration: from
/// the two ids alone nobody can tell that they are one image. A lost file costs another load.
struct LoadedImages {
    /// By the node's container and the image's name: the engine's id and the node's.
    private var ids: [String: [String: [String]]] = [:]
    private let file: String

    /// - Parameter nodes: the ids of the containers that there are; what is known of others is forgotten.
    init(file: String, nodes: [String]) {
        self.file = file
        guard let bytes = try? Files.readIfPresent(file), let node = try? loadYAMLDocument(bytes, file: file) else {
            return
        }
        for entry in node.mapping?.entries ?? [] where nodes.contains(entry.key) {
            for image in entry.value.mapping?.entries ?? [] {
                ids[entry.key, default: [:]][image.key] = (image.value.sequence ?? []).compactMap(\.text)
            }
        }
    }

    /// Whether a node has the very image.
    ///
    /// - Parameters:
    ///   - id: the engine's.
    ///   - found: what the node has under the name.
    func has(_ image: String, _ id: String, on node: String, as found: String?) -> Bool {
        guard let found else { return false }
        return found == id || ids[node]?[image] == [id, found]
    }

    mutating func note(_ image: String, _ id: String, on node: String, as found: String?) {
        guard let found, found != id else { return }
        ids[node, default: [:]][image] = [id, found]
    }

    func write() throws(DeploymentError) {
        guard !ids.isEmpty else { return }
        let node = Node.map(
            ids.sorted { $0.key < $1.key }.map { node in
                (
                    node.key,
                    .map(node.value.sorted { $0.key < $1.key }.map { ($0.key, .list($0.value.map { .string($0) })) })
                )
            })
        try Files.write(Array(node.yaml().utf8), to: file, mode: 0o600)
    }
}
