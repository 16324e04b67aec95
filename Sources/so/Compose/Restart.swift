import ArgumentParser
import Deployments

/// `so restart`.
struct Restart: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart services, whether or not anything changed.",
        discussion: "In a deployment directory, without services: as `so deployment restart`.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @OptionGroup var grace: GraceOption

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        let restart = try DeploymentRestart.parse(
            ["--dir", place.existing().directory] + grace.arguments
                + global.arguments + ["--"] + services)
        try await restart.run()
    }
}
