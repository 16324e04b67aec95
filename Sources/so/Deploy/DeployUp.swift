import ArgumentParser
import Compose
import Deployments
import OrderedCollections
import Rendering
import Stacks
import YAML

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

    @Flag(help: .hidden)
    var noStart = false

    @OptionGroup var global: GlobalOptions

    @Argument(help: "Only these services and what they depend on.")
    var services: [String] = []

    func run() async throws {
        let stack = try direct.resolved()
        let request = try await request(stack)
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(prepared.warnings, global: global)
        if global.dryRun { return prepared.contents.files.forEach { Terminal.output("\($0.path)\n") } }
        try await bringUp(request, prepared: prepared)
        guard stayAttached else { return }
        let deployment = try OpenDeployment(DeploymentDirectory.open(request.directory), global: global)
        try await DeploymentLogs.follow(deployment, global: global)
    }

    private func bringUp(_ request: CreateRequest, prepared: PreparedDirectory) async throws {
        let note: @Sendable (String) -> Void = { [global] line in
            if !global.quiet { Terminal.note("create hook: \(line)") }
        }
        guard Files.exists("\(request.directory)/deployment.yml") else {
            let made = try await createDirectory(request, contents: prepared.contents, note: note)
            let lock = try await made.lock(verb: "deploy up")
            try await start(made)
            return _ = consume lock
        }
        let directory = try DeploymentDirectory.open(request.directory)
        let lock = try await directory.lockForChange(verb: "deploy up")
        _ = try await updateDirectory(directory, request, contents: prepared.contents, note: note)
        try await start(directory)
        _ = consume lock
    }

    private func start(_ directory: DeploymentDirectory) async throws {
        guard !noStart else { return }
        let deployment = try OpenDeployment(directory, global: global, warns: false, allocatesPorts: true)
        var options = StartOptions()
        options.services = services
        try await deployment.start(options, global: global)
    }

    private func request(_ stack: ResolvedStack) async throws -> CreateRequest {
        let place = try direct.place(of: stack)
        let path = place.directory
        var diagnostics = Diagnostics()
        var wanted = SpecRequest(stack: stack.directory, target: .podman)
        wanted.homeDirectory = Host.environment["HOME"]
        wanted.fragment = try await initialFragment(of: stack, target: .podman, diagnostics: &diagnostics)
        if let envFile {
            wanted.config = try readConfigFile(Files.absolute(envFile), tree: .disk, diagnostics: &diagnostics)
        }
        wanted.config.merge(parseConfigFlags(config, diagnostics: &diagnostics)) { _, flag in flag }
        let ports = PortMapper(recipe: .anyVariableRandom, isFree: { _ in true })
        var spec = initialSpec(stack, wanted, ports: ports, tree: .disk, diagnostics: &diagnostics)
        if place.name != stack.name { spec?.namespace = place.namespace }
        guard let spec, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        let text = Array(emitYAML([spec.node]).utf8)
        let parsed = parseSpec(text, file: "\(path)/spec.yml", directory: path, diagnostics: &diagnostics)
        guard let parsed, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        return CreateRequest(
            stack: stack, spec: parsed, specText: text, directory: path, stackSource: stack.directory,
            toolVersion: Version.description, options: Host.layerOptions())
    }
}
