import ArgumentParser
import Deployments

/// `so ps`.
struct Ps: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the project's pods with their ports.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var listing: PodListing
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let deployment = try place.deployment() else { return Terminal.note("nothing of it runs: so up") }
        try await listing.print(deployment, global: global, hidesEnded: true)
    }
}
