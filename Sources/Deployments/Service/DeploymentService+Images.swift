import OrderedCollections
import Runtimes
import Specs

extension DeploymentService {
    /// The images of a deployment that only this host has, and the registry that they go to.
    ///
    /// - Parameter registry: another one than the spec's.
    package func imagesToPush(
        _ directory: DeploymentDirectory, registry: String?
    ) async throws -> (images: [String], registry: String) {
        let (loaded, registry) = try await loadForPush(directory, registry)
        return (loaded.localImages, registry)
    }

    /// Pushes them, and writes down by which digest a cluster pulls them.
    package func pushImages(
        of directory: DeploymentDirectory, registry: String?, engine: ImageEngine.Kind?,
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> [PublishedImage] {
        try await locked(directory, verb: "deployment push-images", events: events) {
            let (loaded, registry) = try await loadForPush(directory, registry)
            guard !loaded.localImages.isEmpty else { return [] }
            let engine = try ImageEngine.find(engine, environment: host.environment)
            let published = try await loaded.publish(loaded.localImages, to: registry, engine: engine) {
                events(.message($0))
            }
            var records = try directory.imageRecords()
            for image in published { records.published[image.image] = image.pinned }
            try directory.record(records)
            return published
        }
    }

    private func loadForPush(
        _ directory: DeploymentDirectory, _ written: String?
    ) async throws -> (LoadedDeployment, String) {
        let loaded = try await open(directory).loaded
        guard let registry = written ?? loaded.spec.imageRegistry else {
            throw DeploymentError(
                .missing, "\(directory.specFile) names no registry",
                hint: "add `image-registry: HOST/PATH`, or give --image-registry")
        }
        guard isRegistry(registry) else {
            throw DeploymentError(
                .unsupported, "invalid registry `\(registry)`",
                hint: "write host[:port][/path], such as registry.example.com/team")
        }
        return (loaded, registry)
    }
}
