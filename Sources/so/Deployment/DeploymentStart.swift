import ArgumentParser
import Deployments
import Runtimes

/// `so deployment start`.
struct DeploymentStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a deployment, or update it to its files; wait until all of it is ready.",
        aliases: ["up"])

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var legacy: LegacyClusterFlags

    @Flag(help: "Follow the logs once everything is ready (Ctrl-C leaves the deployment running).")
    var stayAttached = false

    @Flag(help: "On a cluster: take over fields that another manager (kubectl, an operator) owns.")
    var forceConflicts = false

    @Flag(help: "On a cluster: delete and recreate workloads whose changes the API refuses; volumes stay.")
    var recreate = false

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        let deployment = try directory.open()
        let progress = Progress(global: global)
        let events: DeploymentEventHandler = { progress.handle($0) }
        if global.dryRun {
            let plan = try await Host.deployments.plan(deployment, request, events: events)
            return Terminal.output(plan.description + "\n")
        }
        let result = try await Host.deployments.start(deployment, request, events: events)
        Terminal.note(result, global: global)
        guard stayAttached else { return }
        try await DeploymentLogs.follow(Host.read(directory, global: global), global: global)
    }

    private var request: StartRequest {
        var options = StartOptions()
        options.services = services
        options.forceConflicts = forceConflicts
        options.recreatesWorkloads = recreate
        return StartRequest(options)
    }
}

extension Terminal {
    /// Says what a start has come to, and where the deployment answers.
    static func note(_ result: StartResult, global: GlobalOptions) {
        guard !global.quiet else { return }
        note(result.changed ? "everything is ready" : "nothing to change: everything is ready")
        for published in result.published {
            let instead = published.wanted.map { " (the cluster's port instead of \($0))" } ?? ""
            if let url = published.port.url { note("  \(published.service): \(url)\(instead)") }
        }
        for route in result.routes { note("  \(route.service): \(route.url)") }
    }
}

/// Flags of stack-orchestrator that mean nothing here: no start or stop ever makes or destroys the shared cluster.
struct LegacyClusterFlags: ParsableArguments {
    @Flag(help: .hidden)
    var skipClusterManagement = false

    @Flag(help: .hidden)
    var performClusterManagement = false
}
