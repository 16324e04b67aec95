import ArgumentParser

/// `so restart`.
struct Restart: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart services, whether or not anything changed.",
        discussion: "In a deployment directory, without services: as `so deployment restart`.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @OptionGroup var grace: GraceOption

    /// Only the named services are restarted anyway.
    @Flag(help: .hidden)
    var noDeps = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        var restart = try DeploymentRestart.parse(grace.arguments + global.arguments + ["--"] + services)
        restart.source.directory = try place.existing(naming: services)
        try await restart.run()
    }
}
