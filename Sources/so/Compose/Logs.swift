import ArgumentParser

/// `so logs`.
struct Logs: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print the services' log lines, in order of time.")

    static let takesFileLetter = false

    @OptionGroup var place: PlaceOptions
    @OptionGroup var selection: LogOptions
    @OptionGroup var global: GlobalOptions

    @Option(help: "Only lines before a time or a duration, as --since takes them.")
    var until: String?

    @Option(help: "Only this replica, counted from 1.")
    var index: Int?

    func validate() throws {
        guard let until else { return }
        try LogOptions.requireTime(until, "--until")
        if selection.follow { throw ValidationError("--until contradicts --follow: give one of them") }
    }

    func run() async throws {
        try await selection.print(
            place.existing(naming: selection.services), until: until, replica: index, global: global)
    }
}
