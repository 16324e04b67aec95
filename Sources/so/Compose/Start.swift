import ArgumentParser
import Deployments

/// `so start`.
struct Start: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start what was stopped; wait until it is ready.",
        discussion: "The compose file is taken as it stands, and the variables as `so up` found them.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        try await place.existing().start(services, global: global) { $1.keepsOrphans = true }
    }
}
