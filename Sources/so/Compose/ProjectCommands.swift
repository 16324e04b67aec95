import ArgumentParser
import Deployments
import Glibc

/// `so exec`.
struct Exec: ProjectVerb, PassingThrough {
    static let configuration = CommandConfiguration(
        commandName: "exec", abstract: "Run a command in a running service; its exit code is passed on.",
        usage: "so exec [-T] [--user <user>] [--env <NAME=value>] <service> <command> ...",
        discussion: "It gets a terminal where you have one.")

    static let valueOptions = DeploymentExec.valueOptions.union(projectValueOptions)

    @OptionGroup var place: PlaceOptions
    @OptionGroup var settings: ExecOptions
    @OptionGroup var terminal: TerminalOptions
    @OptionGroup var global: GlobalOptions

    @Argument(help: "The service.")
    var service: String

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String]

    func run() async throws {
        try await settings.run(
            service, command, in: place.existing(), interactive: true, tty: terminal.isWanted, global: global)
    }
}

/// `so run`.
struct Run: ProjectVerb, PassingThrough {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run a command in a new container of a service.",
        usage: "so run [--rm] [-T] [--no-deps] [--env <NAME=value>] <service> [<command> ...]",
        discussion: """
            The container has the service's variables, volumes and networks, and publishes no ports unless \
            --service-ports is given. What the service depends on is started first. The exit code is passed on.
            """)

    static let valueOptions: Set<String> = projectValueOptions.union([
        "--user", "--workdir", "--env", "--entrypoint", "--name", "-u", "-w", "-e",
    ])

    @OptionGroup var place: PlaceOptions
    @OptionGroup var terminal: TerminalOptions
    @OptionGroup var global: GlobalOptions

    @Flag(name: .customLong("rm"), help: "Remove the container once it has ended.")
    var removes = false

    @Flag(name: [.short, .long], help: "Leave it running in the background, and print its id.")
    var detach = false

    @Flag(help: "Do not start what the service depends on.")
    var noDeps = false

    @Flag(help: "Build images before.")
    var build = false

    @Flag(name: [.customShort("P"), .long], help: "Publish the service's ports.")
    var servicePorts = false

    @Option(name: [.short, .long], help: "The user to run as.")
    var user: String?

    @Option(name: [.short, .long], help: "The directory to run in.")
    var workdir: String?

    @Option(help: "Instead of the service's entrypoint.")
    var entrypoint: String?

    @Option(help: "The container's name.")
    var name: String?

    @Option(
        name: [.short, .long], help: ArgumentHelp("A variable: NAME=value, or NAME as you have it.", valueName: "NAME"))
    var env: [String] = []

    @Argument(help: "The service.")
    var service: String

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String] = []

    func run() async throws {
        let start = ProjectStart(place: place, global: global)
        let deployment = try await start.prepared([service], builds: build ? .always : .missing, refreshes: false)
        let opened = try OpenDeployment(deployment, global: global, allocatesPorts: true)
        if !noDeps { try await startDependencies(opened) }
        let status = try await opened.handle.runOnce(request) { Progress(global: global).handle($0) }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }

    private func startDependencies(_ opened: OpenDeployment) async throws {
        let needed = try opened.handle.dependencies(of: service)
        guard !needed.isEmpty else { return }
        try await DirectoryOption(opened.loaded.directory.root).start(needed, global: global.quieted) {
            $0.keepsOrphans = true
        }
    }

    private var request: RunRequest {
        var request = RunRequest(
            service: service, command: command.first == "--" ? Array(command.dropFirst()) : command)
        request.entrypoint = entrypoint
        request.environment = env
        request.user = user
        request.workingDirectory = workdir
        request.name = name
        request.interactive = !detach
        request.tty = terminal.isWanted && !detach
        request.isDetached = detach
        request.removes = removes
        request.publishesPorts = servicePorts
        return request
    }
}

/// Whether a command gets a terminal: where there is one, unless it is declined.
struct TerminalOptions: ParsableArguments {
    @Flag(name: [.customShort("T"), .customLong("no-tty")], help: "Give the command no terminal.")
    var isDeclined = false

    @Flag(name: [.customShort("i"), .customLong("interactive")], help: .hidden)
    var interactive = false

    @Flag(name: [.customShort("t"), .customLong("tty")], help: .hidden)
    var tty = false

    var isWanted: Bool { !isDeclined && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }
}

/// The options of ``PlaceOptions`` that take a value.
let projectValueOptions: Set<String> = [
    "--file", "--project-name", "--project-directory", "--profile", "--env-file", "--dir", "--stack",
]
