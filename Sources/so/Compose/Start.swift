import ArgumentParser
import Deployments
import Runtimes

/// `so start`.
struct Start: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start what was stopped; wait until it is ready.",
        discussion: "The compose file is taken as it is, and the variables as `so up` found them.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    /// Every start waits.
    @Flag(help: .hidden)
    var wait = false

    @OptionGroup var limit: WaitLimit

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        var request = StartRequest(services: services)
        request.options.keepsOrphans = true
        let (existing, wanted) = (try place.existing(naming: services), request)
        try await within(seconds: limit.seconds) { try await existing.start(wanted, global: global) }
    }
}
