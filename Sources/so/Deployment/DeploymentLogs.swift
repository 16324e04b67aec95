import ArgumentParser
import Deployments
import Rendering
import Runtimes
import Specs

/// `so deployment logs`.
struct DeploymentLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print the services' log lines, in order of time.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var selection: LogOptions
    @OptionGroup var global: GlobalOptions

    func run() async throws { try await selection.print(directory, global: global) }

    /// Prints new lines until interrupted.
    static func follow(_ deployment: DirectoryDeployment, global: GlobalOptions) async throws {
        try await deployment.handle.printLogs(LogRequest(follow: true, tail: 0), global: global)
    }
}

/// Which log lines are printed.
struct LogOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Follow: print new lines until interrupted.")
    var follow = false

    @Option(
        name: [.customShort("n"), .customLong("tail")],
        help: ArgumentHelp("Only this many of each service's last lines, or all.", valueName: "lines"))
    var lines: String?

    @Option(help: "Only lines since a time (2026-01-31T12:00:00Z) or for a duration (10m).")
    var since: String?

    @Flag(name: [.short, .long], help: "Print each line's time.")
    var timestamps = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    @Flag(help: "Print the lines without the service's name.")
    var noLogPrefix = false

    private var tail: Int? { lines.flatMap { Int($0) } }

    func validate() throws {
        if let lines, lines != "all", (Int(lines) ?? -1) < 0 {
            throw ValidationError("--tail takes a number from 0, or all")
        }
        if let since { try Self.requireTime(since, "--since") }
    }

    /// Refuses what is neither a time nor a duration: podman would print nothing, and call that a success.
    static func requireTime(_ text: String, _ option: String) throws {
        guard !LogMoment.isValid(text) else { return }
        throw ValidationError(
            "\(option) takes a time (2026-01-31T12:00:00Z), a date (2026-01-31), a duration (10m, 1h30m) or seconds of "
                + "the epoch, and `\(text)` is not one")
    }

    func print(
        _ directory: DirectoryOption, until: String? = nil, replica: Int? = nil, global: GlobalOptions
    ) async throws {
        var request = LogRequest(services: services, follow: follow, tail: tail, since: since)
        (request.until, request.replica) = (until, replica)
        let deployment = try await Host.look(directory, global: global)
        if until != nil { try deployment.requirePodman("--until") }
        try await deployment.handle.printLogs(request, timestamps: timestamps, hasPrefix: !noLogPrefix, global: global)
    }
}

extension RunningDeployment {
    /// - Throws: `DeploymentError` (`unsupported`) where it runs in a cluster.
    func requirePodman(_ option: String) throws(DeploymentError) {
        guard target != .podman else { return }
        throw DeploymentError(.unsupported, "\(option) is for podman, and this deployment runs on \(target.rawValue)")
    }
}

extension DeploymentHandle {
    /// Prints log lines behind their service's name, which has the replica's number where there are several.
    func printLogs(
        _ request: LogRequest, timestamps: Bool = false, hasPrefix: Bool = true, global: GlobalOptions
    ) async throws {
        let style = Style(enabled: Terminal.hasColor(global))
        let names = model.rendered.workloads.map(\.name)
        let several = model.replicated
        let width = (names + several.map { "\($0)-1" }).map(\.count).max() ?? 0
        try await logs(request) { line in
            let time = timestamps ? "\(line.time) " : ""
            guard hasPrefix else { return Terminal.passOn("\(time)\(line.text)\n") }
            let name = several.contains(line.service) ? "\(line.service)-\(line.replica)" : line.service
            let prefix = style.palette("\(name.padded(to: width)) |", index: names.firstIndex(of: line.service) ?? 0)
            Terminal.passOn("\(prefix) \(time)\(line.text)\n")
        }
    }
}
