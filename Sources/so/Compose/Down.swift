import ArgumentParser
import Deployments
import ExternalTools
import YAML

/// `so down`.
struct Down: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "down", abstract: "Stop the project and remove its containers; volumes stay unless -v is given.",
        discussion:
            "A project whose compose file is broken or gone is found by the directory that it was brought up from.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @Flag(name: [.short, .long], help: "Delete the project's volumes too.")
    var volumes = false

    @Option(
        help: ArgumentHelp("Remove images: of every service (all), or those built here (local).", valueName: "which"))
    var rmi: ImageRemoval?

    @OptionGroup var grace: GraceOption

    @Flag(help: .hidden)
    var removeOrphans = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    func validate() throws {
        guard !services.isEmpty, volumes || rmi != nil else { return }
        throw ValidationError("volumes and images are removed with the whole project only")
    }

    func run() async throws {
        guard let deployment = try place.deployment(naming: services) else {
            return Terminal.note("nothing of it runs")
        }
        let images = try rmi.map { try Host.read(deployment, global: global).loaded.images($0) } ?? []
        var stop = try DeploymentStop.parse(
            (volumes ? ["--delete-volumes"] : []) + grace.arguments + global.arguments + ["--"] + services)
        stop.directory = deployment
        try await stop.run()
        for image in images { try await remove(image) }
    }

    private func remove(_ image: String) async throws {
        if global.dryRun { return Terminal.output("remove   image    \(image)\n") }
        let engine = ImageEngine(.podman, podman: Host.deployments.host.podman)
        guard try await engine.imageID(image) != nil else { return }
        let reason = try await engine.remove(image)
        if !global.quiet { Terminal.note(reason.map { "kept image \(image): \($0)" } ?? "deleted image \(image)") }
    }
}

extension ImageRemoval: ExpressibleByArgument {}
