import ArgumentParser
import Deployments
import ExternalTools
import OrderedCollections
import Stacks
import YAML

/// `so deployment push-images`.
struct DeploymentPushImages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push-images", abstract: "Push the deployment's locally built images to its registry.",
        discussion: """
            The registry is the spec's image-registry. What was pushed is remembered by digest: the next start on a cluster \
            pulls that very content, whatever becomes of the tag. The login is the spec's image-pull-secret where there is \
            one, else your own (podman login).
            """)

    @OptionGroup var directory: DirectoryOption

    @Option(help: "Another registry than the spec's.")
    var imageRegistry: String?

    @Option(help: "podman or docker (default: podman where it is installed).")
    var engine: ImageEngine.Kind?

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let deployment = try DeploymentDirectory.open(directory.directory)
        if global.dryRun {
            let (loaded, registry) = try load(deployment)
            return loaded.localImages.forEach {
                Terminal.output("push  \($0) as \(ImageName($0)?.published(in: registry) ?? $0)\n")
            }
        }
        let lock = try await deployment.lockForChange(verb: "deployment push-images")
        try await push(deployment)
        _ = consume lock
    }

    private func load(_ deployment: DeploymentDirectory) throws -> (LoadedDeployment, String) {
        let loaded = try LoadedDeployment.load(deployment, options: Host.layerOptions())
        guard let registry = imageRegistry ?? loaded.spec.imageRegistry else {
            throw DeploymentError(
                .missing, "\(deployment.specFile) names no registry",
                hint: "add `image-registry: HOST/PATH`, or give --image-registry")
        }
        return (loaded, try Registry.checked(registry))
    }

    private func push(_ deployment: DeploymentDirectory) async throws {
        let (loaded, registry) = try load(deployment)
        let images = loaded.localImages
        if images.isEmpty {
            return Terminal.note("the deployment has no images of this host: there is nothing to push")
        }
        let isQuiet = global.quiet
        let published = try await loaded.publish(images, to: registry, engine: ImageEngine.find(engine)) {
            if !isQuiet { Terminal.note($0) }
        }
        var records = try deployment.imageRecords()
        for image in published { records.published[image.image] = image.pinned }
        try deployment.record(records)
        Table(
            columns: ["image", "published", "digest"],
            rows: published.map { [.string($0.image), .string($0.reference), .string($0.pinned)] }
        ).print(output.format)
    }
}
