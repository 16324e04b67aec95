import ArgumentParser
import Deployments
import Stacks

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

    @Option(help: ArgumentHelp("Seconds to let services end, instead of each one's own.", valueName: "seconds"))
    var timeout: Int?

    func validate() throws {
        if preserveVolumes && deleteVolumes {
            throw ValidationError("--preserve-volumes and --delete-volumes contradict each other")
        }
    }

    func run() async throws {
        var options = StopOptions()
        options.deleteVolumes = deleteVolumes
        options.deleteNamespace = deleteNamespace
        options.graceSeconds = timeout
        try await OpenDeployment.locked(directory, verb: "deployment stop", global: global) { deployment in
            if global.dryRun { return try await preview(deployment, options) }
            try await deployment.runHook(.stop, global: global)
            let progress = Progress(global: global)
            try await deployment.handle.stop(options) { progress.handle($0) }
            if !global.quiet { Terminal.note("stopped") }
        }
    }

    private func preview(_ deployment: OpenDeployment, _ options: StopOptions) async throws {
        for line in try await deployment.handle.stopPreview(options) { Terminal.output("remove   \(line)\n") }
    }
}
