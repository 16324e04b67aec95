import ArgumentParser
import Deployments

/// A verb on the compose project, stack or deployment that one stands in.
protocol ProjectVerb: AsyncParsableCommand {
    /// Whether `-f` behind the verb names a compose file; it does not where the verb has a `-f` of its own.
    static var takesFileLetter: Bool { get }
}

extension ProjectVerb {
    static var takesFileLetter: Bool { true }
}

/// `so down`.
struct Down: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "down", abstract: "Stop the project and remove its containers; volumes stay unless -v is given.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @Flag(name: [.short, .long], help: "Delete the project's volumes too.")
    var volumes = false

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Seconds to let services end, instead of each one's own.", valueName: "seconds"))
    var timeout: Int?

    @Flag(help: .hidden)
    var removeOrphans = false

    func run() async throws {
        guard let deployment = try place.deployment() else { return Terminal.note("nothing of it runs") }
        let stop = try DeploymentStop.parse(
            ["--dir", deployment.directory] + (volumes ? ["--delete-volumes"] : [])
                + (timeout.map { ["--timeout", "\($0)"] } ?? []) + global.arguments)
        try await stop.run()
    }
}

/// `so stop`.
struct Stop: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop services; volumes stay, and `so start` starts them again.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Seconds to let services end, instead of each one's own.", valueName: "seconds"))
    var timeout: Int?

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        guard let deployment = try place.deployment() else { return Terminal.note("nothing of it runs") }
        let stop = try DeploymentStop.parse(
            ["--dir", deployment.directory] + (timeout.map { ["--timeout", "\($0)"] } ?? []) + global.arguments
                + ["--"] + services)
        try await stop.run()
    }
}

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
        try await place.existing().start(services, global: global) { $0.keepsOrphans = true }
    }
}

/// `so restart`.
struct Restart: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart services, whether or not anything changed.",
        discussion: "In a deployment directory, without services: as `so deployment restart`.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var global: GlobalOptions

    @Option(
        name: [.customShort("t"), .long],
        help: ArgumentHelp("Seconds to let services end, instead of each one's own.", valueName: "seconds"))
    var timeout: Int?

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        let restart = try DeploymentRestart.parse(
            ["--dir", place.existing().directory] + (timeout.map { ["--timeout", "\($0)"] } ?? [])
                + global.arguments + ["--"] + services)
        try await restart.run()
    }
}

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

/// `so port`.
struct Port: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "port", abstract: "Print where a service's port is published, or all published ports.")

    @OptionGroup var place: PlaceOptions
    @OptionGroup var published: PublishedPortOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await published.print(place.existing(), global: global) }
}

extension GlobalOptions {
    /// The flags as another command takes them.
    var arguments: [String] {
        [
            (verbose, "--verbose"), (quiet, "--quiet"), (debug, "--debug"), (dryRun, "--dry-run"),
            (noColor, "--no-color"),
        ].filter(\.0).map(\.1)
    }
}
