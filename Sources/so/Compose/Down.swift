import ArgumentParser
import Deployments

/// `so down`.
struct Down: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "down", abstract: "Stop the project and remove its containers; volumes stay unless -v is given.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @Flag(name: [.short, .long], help: "Delete the project's volumes too.")
    var volumes = false

    @OptionGroup var grace: GraceOption

    @Flag(help: .hidden)
    var removeOrphans = false

    func run() async throws {
        guard let deployment = try place.deployment() else { return Terminal.note("nothing of it runs") }
        let stop = try DeploymentStop.parse(
            ["--dir", deployment.directory] + (volumes ? ["--delete-volumes"] : [])
                + grace.arguments + global.arguments)
        try await stop.run()
    }
}
