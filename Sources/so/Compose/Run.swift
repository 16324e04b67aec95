import ArgumentParser
import Compose
import Deployments
import OrderedCollections
import Runtimes
import Specs
import YAML

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
        "--user", "--workdir", "--env", "--entrypoint", "--name", "--publish", "--volume", "--label", "--pull",
        "--cap-add", "--cap-drop", "--env-from-file", "-u", "-w", "-e", "-p", "-v", "-l",
    ])

    @OptionGroup var place: PlaceOptions
    @OptionGroup var settings: ContainerCommandOptions
    @OptionGroup var terminal: TerminalOptions
    @OptionGroup var global: GlobalOptions

    @Flag(name: .customLong("rm"), help: "Remove the container once it has ended.")
    var removes = false

    @Flag(name: [.short, .long], help: "Leave it running in the background, and print its id.")
    var detach = false

    @Flag(help: "Do not start what the service depends on.")
    var noDeps = false

    @Flag(help: "Build images before starting.")
    var build = false

    @Flag(name: [.customShort("P"), .long], help: "Publish the service's ports.")
    var servicePorts = false

    @Flag(help: "Give it the service's names on its networks.")
    var useAliases = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Publish a port, such as 8080:80; repeat it for more.", valueName: "port"))
    var publish: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp("Mount a folder or volume, such as ./src:/src; repeat it for more.", valueName: "volume"))
    var volume: [String] = []

    @Option(name: [.short, .long], help: ArgumentHelp("A label; repeat it for more.", valueName: "name=value"))
    var label: [String] = []

    @Option(help: ArgumentHelp("Ask registries for images: always, missing or never.", valueName: "policy"))
    var pull: PullChoice?

    @Option(help: ArgumentHelp("Add a capability; repeat it for more.", valueName: "capability"))
    var capAdd: [String] = []

    @Option(help: ArgumentHelp("Drop a capability; repeat it for more.", valueName: "capability"))
    var capDrop: [String] = []

    @Option(
        help: ArgumentHelp("Variables of an env file, over the service's own; repeat it for more.", valueName: "file"))
    var envFromFile: [String] = []

    /// Nothing is said of the services that it needs anyway.
    @Flag(name: .customShort("q"), help: .hidden)
    var isQuiet = false

    @Flag(help: .hidden)
    var quietPull = false

    @Flag(help: .hidden)
    var quietBuild = false

    @Flag(help: .hidden)
    var removeOrphans = false

    @Option(help: "Override the service's entrypoint.")
    var entrypoint: String?

    @Option(help: "The container's name.")
    var name: String?

    @Argument(help: "The service.")
    var service: String

    @Argument(parsing: .captureForPassthrough, help: "The command with its arguments.")
    var command: [String] = []

    func run() async throws {
        var project = ProjectUp(services: [service], builds: build ? .always : .missing)
        project.refreshes = false
        let request = try request()
        _ = try await place.prepare(project, global: global)
        let directory = try place.existing(naming: [service]).open()
        let own = isQuiet || quietPull ? global.quieted : global
        let (progress, quiet) = (Progress(global: own), Progress(global: global.quieted))
        let status = try await Host.deployments.runOnce(
            request, in: directory, on: .ofThisProcess, startsDependencies: !noDeps,
            dependencies: { quiet.handle($0) }, events: { progress.handle($0) })
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }

    private func request() throws -> RunRequest {
        var request = RunRequest(
            service: service, command: command.first == "--" ? Array(command.dropFirst()) : command)
        request.entrypoint = entrypoint
        request.environment = settings.env
        request.fileVariables = try fileVariables()
        (request.addedCapabilities, request.droppedCapabilities) = (capAdd, capDrop)
        request.user = settings.user
        request.workingDirectory = settings.workdir
        request.name = name
        request.interactive = !detach
        request.tty = terminal.isWanted && !detach
        request.isDetached = detach
        request.removes = removes
        request.publishesPorts = servicePorts
        request.usesAliases = useAliases
        request.volumes = volume.map(Host.absoluteVolume)
        request.ports = publish
        request.labels = label
        request.pull = pull
        return request
    }

    private func fileVariables() throws -> [String: String] {
        var diagnostics = Diagnostics()
        var result: [String: String] = [:]
        for file in envFromFile {
            let read = try readConfigFile(Files.absolute(file), tree: .disk, diagnostics: &diagnostics)
            for (name, value) in read { result[name] = value.value }
        }
        try diagnostics.throwIfErrors()
        return result
    }
}
