import ArgumentParser
import Deployments

/// `so deploy up`: a stack runs at once, without a spec of its own.
struct DeployUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Run a stack at once on podman, without writing a spec.",
        discussion: """
            What the stack's init hook suggests is taken, then --env-file, then --config; ports are those of the compose \
            files. The deployment is kept in $XDG_STATE_HOME/so/deployments/<stack> (default ~/.local/state), where \
            `so deploy down`, ps, port, logs and exec find it. For a deployment to keep, use init and create.
            """,
        aliases: ["start"])

    @OptionGroup var direct: DirectOption

    @Option(help: "An env file whose values go into the config.")
    var envFile: String?

    @Option(help: ArgumentHelp("KEY=value for the config; repeat it, or write A=1,B=2.", valueName: "KEY=value"))
    var config: [String] = []

    @Flag(help: "Follow the logs once everything is ready (Ctrl-C leaves the stack running).")
    var stayAttached = false

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        let progress = Progress(global: global)
        let events: DeploymentEventHandler = { progress.handle($0) }
        let (request, prepared) = try await Host.deployments.prepare(options(), events: events)
        if global.dryRun { return prepared.contents.files.forEach { Terminal.output("\($0.path)\n") } }
        let result = try await Host.deployments.up(request, prepared, services: services, events: events)
        if let result { Terminal.note(result, global: global) }
        guard stayAttached else { return }
        try await DeploymentLogs.follow(Host.read(DirectoryOption(request.directory), global: global), global: global)
    }

    private func options() throws -> StackUp {
        var options = StackUp(try direct.resolved())
        options.name = direct.cluster
        options.envFile = envFile
        options.config = config
        options.services = services
        return options
    }
}
