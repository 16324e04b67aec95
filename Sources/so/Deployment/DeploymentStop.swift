import ArgumentParser
import Deployments
import Runtimes

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
        let deployment = try directory.open()
        if global.dryRun {
            let lines = try await Host.deployments.stopPreview(deployment, options)
            return lines.forEach { Terminal.output("remove   \($0)\n") }
        }
        let progress = Progress(global: global)
        try await Host.deployments.stop(deployment, options, runsHooks: !noHooks) { progress.handle($0) }
        if !global.quiet { Terminal.note("stopped") }
    }

    private var options: StopOptions {
        var options = StopOptions()
        options.deleteVolumes = deleteVolumes
        options.deleteNamespace = deleteNamespace
        options.graceSeconds = grace.timeout
        options.services = services
        return options
    }
}
