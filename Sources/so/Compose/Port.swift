import ArgumentParser

/// `so port`.
struct Port: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Print where a service's port is published, or all published ports.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var published: PublishedPortOptions

    @Option(help: "Which replica, counted from 1.")
    var index: Int?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        try await published.print(
            place.existing(naming: published.service.map { [$0] } ?? []), replica: index, global: global)
    }
}
