import ArgumentParser
import Deployments
import OrderedCollections
import Rendering
import Stacks

/// `so deployment start`.
struct DeploymentStart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "start",
        abstract: "Start a deployment, or bring it up to its files; wait until all of it is ready.",
        aliases: ["up"])

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var legacy: LegacyClusterFlags

    @Flag(help: "Follow the logs once everything is ready (Ctrl-C leaves the deployment running).")
    var stayAttached = false

    @Flag(help: "On a cluster: take over fields that another manager (kubectl, an operator) owns.")
    var forceConflicts = false

    @Flag(help: "On a cluster: delete and make anew workloads whose changes the API refuses; volumes stay.")
    var recreate = false

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        if global.dryRun {
            let plan = try await OpenDeployment(directory, global: global, warns: true).handle.plan()
            return Terminal.output(plan.description + "\n")
        }
        try await OpenDeployment.locked(directory, verb: "deployment start", global: global, warns: true) {
            deployment in
            try deployment.handle.requireServices(services)
            var options = StartOptions()
            options.services = services
            options.forceConflicts = forceConflicts
            options.recreatesWorkloads = recreate
            try await deployment.start(options, global: global)
        }
        guard stayAttached else { return }
        try await DeploymentLogs.follow(OpenDeployment(directory, global: global), global: global)
    }
}

extension OpenDeployment {
    /// Starts, shows the progress, and says where the deployment answers.
    func start(_ options: StartOptions = StartOptions(), global: GlobalOptions) async throws {
        let progress = Progress(global: global)
        if !global.quiet {
            Terminal.note(loaded.rendered.hostAccess(besides: [loaded.directory.root] + loaded.stack.allRoots))
        }
        try await runPodCommands(\.preStartCommand, "pre_start_command", global: global)
        // Written before anything is made: a start that is killed owes its values to the next one.
        if !loaded.stack.file.config.isEmpty, try await !handle.plan().isEmpty {
            try loaded.directory.setPendingExchange(true)
        }
        let result = try await handle.start(options) { progress.handle($0) }
        try await exchange(after: result, global: global)
        try await runPodCommands(\.postStartCommand, "post_start_command", global: global)
        try await runHook(.start, global: global)
        guard !global.quiet else { return }
        Terminal.note(result.changed ? "everything is ready" : "nothing to change: everything is ready")
        for published in result.published {
            let instead = published.wanted.map { " (the cluster's port instead of \($0))" } ?? ""
            if let url = published.port.url { Terminal.note("  \(published.service): \(url)\(instead)") }
        }
        for route in result.routes { Terminal.note("  \(route.service): \(route.url)") }
    }
}

/// Flags of the predecessor that mean nothing here: no start or stop ever makes or destroys the shared cluster.
struct LegacyClusterFlags: ParsableArguments {
    @Flag(help: .hidden)
    var skipClusterManagement = false

    @Flag(help: .hidden)
    var performClusterManagement = false
}
