import ArgumentParser
import Deployments

/// `so port`.
struct Port: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Print where a service's port is published, or all published ports.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var published: PublishedPortOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await published.print(place.existing(), global: global) }
}
