import ArgumentParser
import Deployments

/// `so logs`.
struct Logs: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print the services' log lines, in order of time.")

    static let takesFileLetter = false

    @OptionGroup var place: PlaceOptions
    @OptionGroup var selection: LogOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await selection.print(place.existing(), global: global) }
}
