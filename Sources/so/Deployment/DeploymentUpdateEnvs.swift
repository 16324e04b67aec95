import ArgumentParser
import Compose
import Deployments
import ExternalTools
import Stacks
import YAML

/// `so deployment update-envs`.
struct DeploymentUpdateEnvs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update-envs", abstract: "Take a changed `config` over, and replace what its values reach.",
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
        let deployment = try DeploymentDirectory.open(directory.directory)
        if global.dryRun {
            let request = try await request(deployment)
            for path in try deployment.changes(prepareDirectory(request).contents, tree: request.tree) {
                Terminal.output("write    file     \(path)\n")
            }
            return Terminal.output(
                try await OpenDeployment(deployment, global: global).handle.plan().description + "\n")
        }
        let lock = try await deployment.lockForChange(verb: "deployment update-envs")
        let update = try await deployment.update(from: request(deployment), global: global)
        if !global.quiet, update.hasNews { update.report(deployment, isLast: false) }
        let opened = try OpenDeployment(deployment, global: global, warns: true, allocatesPorts: true)
        let running = try await opened.handle.ps().filter { $0.state == .running || $0.state == .restarting }
        guard !running.isEmpty else {
            if !global.quiet { Terminal.note("the deployment is stopped: its next start takes the values over") }
            return
        }
        try await opened.start(global: global)
        _ = consume lock
    }

    /// The deployment's own files are the stack here: an edit of the stack's source is not taken over.
    private func request(_ deployment: DeploymentDirectory) async throws -> CreateRequest {
        let path = specFile.map(Files.absolute) ?? deployment.specFile
        let loaded = try loadSpec(path, tree: .disk)
        let tree = try deployment.fileTree()
        let stack = try ResolvedStack.deployment(
            directory: deployment.root, name: deployment.identity.stackName, tree: tree)
        var request = CreateRequest(
            stack: stack, spec: loaded.spec, specText: try Files.read(path), directory: deployment.root,
            stackSource: deployment.identity.stackSource, toolVersion: Version.description, options: Host.layerOptions()
        )
        request.tree = tree
        try request.take(deployment.configEdits(), global: global)
        try deployment.identity.refuseOther(request)
        return request
    }
}
