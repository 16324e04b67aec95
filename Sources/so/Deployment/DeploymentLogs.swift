import ArgumentParser
import Deployments
import Rendering

/// `so deployment logs`.
struct DeploymentLogs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Print the services' log lines, in order of time.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Flag(name: [.short, .long], help: "Go on with new lines until interrupted.")
    var follow = false

    @Option(name: [.customShort("n"), .customLong("tail")], help: "Only this many of each service's last lines.")
    var tail: Int?

    @Option(help: "Only lines since a time (2026-01-31T12:00:00Z) or for a duration (10m).")
    var since: String?

    @Flag(name: [.short, .long], help: "Print each line's time.")
    var timestamps = false

    @Argument(help: "Only these services.")
    var services: [String] = []

    func validate() throws {
        if let tail, tail < 0 { throw ValidationError("--tail takes a number from 0") }
    }

    func run() async throws {
        let request = LogRequest(services: services, follow: follow, tail: tail, since: since)
        let deployment = try OpenDeployment(directory, global: global)
        try await Self.print(deployment, request, timestamps: timestamps, global: global)
    }

    /// Prints new lines until interrupted.
    static func follow(_ deployment: OpenDeployment, global: GlobalOptions) async throws {
        try await print(deployment, LogRequest(follow: true, tail: 0), timestamps: false, global: global)
    }

    private static func print(
        _ deployment: OpenDeployment, _ request: LogRequest, timestamps: Bool, global: GlobalOptions
    ) async throws {
        let style = Style(enabled: Terminal.hasColor(global))
        let names = deployment.loaded.rendered.workloads.map(\.name)
        let width = names.map(\.count).max() ?? 0
        try await deployment.handle.logs(request) { line in
            let index = names.firstIndex(of: line.service) ?? 0
            let pad = String(repeating: " ", count: max(0, width - line.service.count))
            let prefix = style.palette("\(line.service)\(pad) |", index: index)
            Terminal.output("\(prefix) \(timestamps ? "\(line.time) " : "")\(line.text)\n")
        }
    }
}
