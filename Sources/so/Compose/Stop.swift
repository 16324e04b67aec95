import ArgumentParser

/// `so stop`.
struct Stop: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop services; volumes stay, and `so start` starts them again.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @OptionGroup var grace: GraceOption

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        guard let deployment = try place.deployment(naming: services) else {
            return Terminal.note("nothing of it runs")
        }
        var stop = try DeploymentStop.parse(grace.arguments + global.arguments + ["--"] + services)
        stop.directory = deployment
        try await stop.run()
    }
}
