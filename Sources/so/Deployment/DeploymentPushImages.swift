import ArgumentParser
import Deployments
import Specs
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

    func validate() throws { _ = try imageRegistry.map(Registry.checked) }

    func run() async throws {
        let deployment = try directory.open()
        if global.dryRun {
            let (images, registry) = try await Host.deployments.imagesToPush(deployment, registry: imageRegistry)
            return images.forEach {
                Terminal.output("push  \($0) as \(ImageName($0)?.published(in: registry) ?? $0)\n")
            }
        }
        let progress = Progress(global: global)
        let published = try await Host.deployments.pushImages(
            of: deployment, registry: imageRegistry, engine: engine
        ) { progress.handle($0) }
        if published.isEmpty {
            return Terminal.note("the deployment has no images of this host: there is nothing to push")
        }
        Table(
            columns: ["image", "published", "digest"],
            rows: published.map { [.string($0.image), .string($0.reference), .string($0.pinned)] }
        ).print(output.format)
    }
}
