import ArgumentParser
import Deployments
import Stacks
import YAML

/// `so deployment stop`.
struct DeploymentStop: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop a deployment; its volumes and secrets stay.",
        discussion: """
            --delete-volumes deletes this deployment's volumes, its directories below data/ and its secrets, and only \
            those. Directories elsewhere on the host stay and are named.
            """,
        aliases: ["down"])

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var legacy: LegacyClusterFlags

    @Flag(help: .hidden)
    var preserveVolumes = false

    @Flag(help: "Delete the deployment's volumes and secrets too.")
    var deleteVolumes = false

    @Flag(help: "Delete the namespace (podman: the network) too, if this deployment owns it.")
    var deleteNamespace = false

    @OptionGroup var grace: GraceOption

    @Flag(help: "Do not run the stop hook, such as one that fails.")
    var noHooks = false

    @Argument(help: "Only these services' pods; hooks are not run for them.")
    var services: [String] = []

    func validate() throws {
        if !services.isEmpty, deleteVolumes || deleteNamespace {
            throw ValidationError("volumes and the namespace are deleted with the whole deployment only")
        }
        if preserveVolumes && deleteVolumes {
            throw ValidationError("--preserve-volumes and --delete-volumes contradict each other")
        }
    }

    func run() async throws {
        var options = StopOptions()
        options.deleteVolumes = deleteVolumes
        options.deleteNamespace = deleteNamespace
        options.graceSeconds = grace.timeout
        options.services = services
        do {
            try await OpenDeployment.locked(directory, verb: "deployment stop", global: global) { deployment in
                if global.dryRun { return try await preview(deployment, options) }
                if !noHooks, services.isEmpty { try await runHook(deployment) }
                try await stop(deployment.handle, options)
            }
        } catch let error as InvalidInput {
            try await stopUnreadable(options, error)
        }
    }

    private func runHook(_ deployment: OpenDeployment) async throws {
        do {
            try await deployment.runHook(.stop, global: global)
        } catch let error as DeploymentError {
            throw DeploymentError(
                .failed, "nothing was stopped: \(error.message)", cause: error.cause,
                hint: (error.hint.map { "\($0); or" } ?? "fix it, or") + " stop without it: add --no-hooks")
        }
    }

    private func stop(_ handle: DeploymentHandle, _ options: StopOptions) async throws {
        let progress = Progress(global: global)
        try await handle.stop(options) { progress.handle($0) }
        if !global.quiet { Terminal.note("stopped") }
    }

    /// A mistake in a file must not keep anybody from stopping what runs; but which data is the deployment's own, only its files tell.
    private func stopUnreadable(_ options: StopOptions, _ error: InvalidInput) async throws {
        let opened = try DeploymentDirectory.open(directory.directory)
        // A compose project has no data but podman's volumes, which are known by their labels.
        let knowsData = !options.deleteVolumes || opened.runsProject
        guard knowsData, !global.dryRun, opened.identity.target == DeploymentTarget.podman.rawValue else {
            throw error
        }
        Diagnoses.print(error.diagnostics)
        Terminal.note("the deployment's files have errors: what runs is stopped by its labels, without the stop hook")
        let lock = try await opened.lock(verb: "deployment stop")
        try await stop(DeploymentHandle(opened.unreadableModel), options)
        _ = consume lock
    }

    private func preview(_ deployment: OpenDeployment, _ options: StopOptions) async throws {
        for line in try await deployment.handle.stopPreview(options) { Terminal.output("remove   \(line)\n") }
    }
}
