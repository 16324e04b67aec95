import ArgumentParser
import Deployments
import Runtimes

/// `so deployment update-envs`.
struct DeploymentUpdateEnvs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-envs", abstract: "Apply a changed `config`, and replace what its values reach.",
        discussion: """
            Edit `config` in the deployment's spec.yml (or give --spec-file, whose `config` is taken), or lines of its \
            config.env, which count over the spec; only services whose environment changed are replaced, each with its own variables. A deployment that is \
            stopped stays stopped. For all else that a spec or stack can change, see `so deployment restart`.
            """)

    @OptionGroup var directory: DirectoryOption

    @Option(help: "The spec to take over (default: the deployment's own).")
    var specFile: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let deployment = try directory.open()
        let progress = Progress(global: global)
        if global.dryRun {
            let preview = try await Host.deployments.previewEnvironments(of: deployment, specFile: specFile) {
                progress.handle($0)
            }
            for path in preview.files { Terminal.output("write    file     \(path)\n") }
            return Terminal.output(preview.plan.description + "\n")
        }
        let result = try await Host.deployments.updateEnvironments(of: deployment, specFile: specFile) {
            progress.handle($0)
        }
        if let result { return Terminal.note(result, global: global) }
        if !global.quiet { Terminal.note("the deployment is stopped: its next start takes the values over") }
    }
}
