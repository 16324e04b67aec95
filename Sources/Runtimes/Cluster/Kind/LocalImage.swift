package import ExternalTools

/// An image that this host has.
package struct LocalImage: Sendable {
    package var name: String
    /// `sha256:…`
    var id: String
    /// Whose store has it.
    package var store: Kind.Provider

    /// Those of the images that the engine of kind's nodes has, else podman or docker, whichever built them; sorted by name.
    package static func find(_ names: Set<String>, by own: Kind) async -> [LocalImage] {
        await withTaskGroup(of: LocalImage?.self) { group in
            for name in names { group.addTask { await find(name, by: own) } }
            var found: [LocalImage] = []
            for await image in group { if let image { found.append(image) } }
            return found.sorted { $0.name < $1.name }
        }
    }

    private static func find(_ name: String, by own: Kind) async -> LocalImage? {
        for store in [own.provider] + [.podman, .docker].filter({ $0 != own.provider }) {
            guard let output = try? await own.with(store).imageID(name).result(), output.status == 0 else { continue }
            let id = output.text
            return LocalImage(name: name, id: id.hasPrefix("sha256:") ? id : "sha256:\(id)", store: store)
        }
        return nil
    }
}
