package import OrderedCollections
import Runtimes
import YAML

/// What `so` knows about a deployment's images beyond its files: where they were pushed, and what `restart --image` said.
package struct ImageRecords: Hashable, Sendable {
    /// By the name in the files, the reference by digest that a registry has.
    package var published: OrderedDictionary<String, String> = [:]
    /// By service, the image of `restart --image`; it stays until it is taken back.
    package var overrides: OrderedDictionary<String, String> = [:]

    package init() {}

    init(node: Node) {
        for entry in node.mapping?["published"]?.mapping?.entries ?? [] { published[entry.key] = entry.value.text }
        for entry in node.mapping?["overrides"]?.mapping?.entries ?? [] { overrides[entry.key] = entry.value.text }
    }

    var yaml: String {
        Node.map([
            ("published", .map(published.map { ($0.key, .string($0.value)) })),
            ("overrides", .map(overrides.map { ($0.key, .string($0.value)) })),
        ]).yaml()
    }
}

extension DeploymentDirectory {
    private var imagesFile: String { "\(stateDirectory)/images.yml" }

    /// What is recorded, and what a command line chooses over it.
    package func imageRecords() throws -> ImageRecords {
        var records = ImageRecords()
        if let bytes = try Files.readIfPresent(imagesFile) {
            records = ImageRecords(node: try loadYAMLDocument(bytes, file: imagesFile))
        }
        for (service, image) in askedImages { records.overrides[service] = image.isEmpty ? nil : image }
        return records
    }

    /// Keeps the records; the caller holds the lock.
    package func record(_ images: ImageRecords) throws {
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        try Files.write(Array(images.yaml.utf8), to: imagesFile)
    }
}
