import ArgumentParser
import Deployments
import ExternalTools

/// `so deploy create`.
struct DeployCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a deployment directory from a spec, or update one.",
        discussion: """
            The directory holds all that the deployment needs: the stack's repository may vanish afterwards. With \
            --update, identity, secrets and data stay; a file whose content changes is kept as <file>.bak.
            """)

    @Option(name: .long, help: "The spec that `so deploy init` wrote.")
    var specFile: String

    @Option(name: .long, help: "The directory to create (default: deployments/<stack>).")
    var deploymentDir: String?

    @Option(name: .long, help: "The stack, instead of the one that the spec names.")
    var stack: String?

    @Flag(help: "Update an existing deployment.")
    var update = false

    @Flag(help: "Write a Helm chart of the deployment too, into its chart/ directory.")
    var helmChart = false

    @Flag(help: "Treat compose keys without an equivalent as errors.")
    var strict = false

    @Option(help: "A directory that a create hook in Python is given.")
    var networkDir: String?

    @Option(help: "Peers that a create hook in Python is given.")
    var initialPeers: String?

    @OptionGroup var global: GlobalOptions

    @Argument(parsing: .postTerminator, help: "Arguments for the stack's create hook, behind `--`.")
    var hookArguments: [String] = []

    func run() async throws {
        if update { return try await updateExisting() }
        let progress = Progress(global: global)
        let (request, prepared) = try await Host.deployments.prepare(options) { progress.handle($0) }
        Diagnoses.warn(prepared.warnings, global: global)
        if global.dryRun { return prepared.contents.files.forEach { Terminal.output("\($0.path)\n") } }
        let directory = try await Host.deployments.create(request, prepared) { progress.handle($0) }
        guard !global.quiet else { return }
        Terminal.note("created \(directory.root)")
        let written = deploymentDir ?? directory.root
        if helmChart {
            Terminal.note(
                "next: helm install \(directory.identity.stackName) \(shellQuoted("\(written)/chart"))")
        }
        Terminal.note("next: so deployment --dir \(shellQuoted(written)) start")
    }

    private var options: CreateOptions {
        var options = CreateOptions(specFile: specFile)
        options.stack = stack
        options.directory = deploymentDir
        options.hookArguments = hookArguments
        options.networkDirectory = networkDir
        options.initialPeers = initialPeers
        options.isStrict = strict
        options.makesHelmChart = helmChart
        return options
    }

    private func updateExisting() async throws {
        let directory = try await Host.deployments.directory(toUpdate: options)
        let progress = Progress(global: global)
        if global.dryRun {
            let request = try await Host.deployments.request(options, isUpdate: true) { progress.handle($0) }
            let prepared = try prepareDirectory(request)
            Diagnoses.warn(prepared.warnings, global: global)
            return try directory.changes(prepared.contents, tree: request.tree).forEach { Terminal.output("\($0)\n") }
        }
        let update = try await Host.deployments.updateFiles(of: directory, options) { progress.handle($0) }
        if !global.quiet { update.report(directory.root) }
    }
}

extension DirectoryUpdate {
    /// Says which files were written and removed, and what is kept of them.
    func reportFiles() {
        for path in installed { Terminal.note("wrote    \(path)\(backups[path].map { " (kept \($0))" } ?? "")") }
        for (path, reason) in kept.sorted(by: { $0.key < $1.key }) {
            Terminal.note("kept     \(path) as it was changed here (\(reason))")
        }
        for path in removed { Terminal.note("removed  \(path)\(backups[path].map { " (kept \($0))" } ?? "")") }
    }

    /// Says what an update changed.
    ///
    /// - Parameter isLast: whether the user has to type what comes next.
    func report(_ directory: String, isLast: Bool = true) {
        if !hasNews { return Terminal.note("nothing to update in \(directory)") }
        reportFiles()
        Terminal.note("updated \(directory)")
        if isLast { Terminal.note("next: so deployment --dir \(shellQuoted(directory)) start") }
    }
}
