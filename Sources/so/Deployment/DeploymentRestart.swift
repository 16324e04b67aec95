import ArgumentParser
import Deployments
import Stacks
import YAML

/// `so deployment restart`.
struct DeploymentRestart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Take the stack's and the spec's changes over and apply them.",
        discussion: """
            The deployment directory is updated from the stack's source, as `so deploy create --update` does, and started; \
            what did not change keeps running. Where the source has vanished, the deployment is started as it is.
            """)

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var legacy: LegacyClusterFlags

    @Option(help: "The spec to take over (default: the deployment's own).")
    var specFile: String?

    @Option(help: "The stack's directory (default: where it came from).")
    var stackPath: String?

    func run() async throws {
        let deployment = try DeploymentDirectory.open(directory.directory)
        if global.dryRun { return try await preview(deployment) }
        let lock = try await deployment.lock(verb: "deployment restart")
        try deployment.claim()
        try deployment.recover()
        try await update(deployment)
        try await OpenDeployment(deployment, global: global, warns: true, allocatesPorts: true).start(global: global)
        _ = consume lock
    }

    /// Says which files an update would write, and what a start of the deployment as it is would do.
    private func preview(_ deployment: DeploymentDirectory) async throws {
        if let request = try await request(deployment) {
            for path in try deployment.changes(prepareDirectory(request).contents, tree: request.tree) {
                Terminal.output("write    file     \(path)\n")
            }
        }
        let plan = try await OpenDeployment(deployment, global: global).handle.plan()
        Terminal.output(plan.description + "\n")
    }

    /// What to update the deployment from; nil where the stack's source has gone.
    private func request(_ deployment: DeploymentDirectory) async throws -> CreateRequest? {
        let source = stackPath.map(Files.absolute) ?? deployment.identity.stackSource
        guard Files.exists("\(source)/stack.yml") else {
            if let stackPath {
                throw DeploymentError(.missing, "there is no stack in \(stackPath)", mend: "correct --stack-path")
            }
            Terminal.note("\(source) has gone: starting what the deployment holds")
            return nil
        }
        return try await CreateRequest.make(
            specFile: specFile ?? deployment.specFile, stack: source, directory: deployment.root, isUpdate: true,
            global: global)
    }

    private func update(_ deployment: DeploymentDirectory) async throws {
        guard let request = try await request(deployment) else { return }
        let prepared = try prepareDirectory(request)
        let update = try await updateDirectory(deployment, request, contents: prepared.contents) { line in
            if !global.quiet { Terminal.note("create hook: \(line)") }
        }
        if !global.quiet, !update.isEmpty { update.report(deployment) }
    }
}
