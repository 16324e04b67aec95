import ArgumentParser
import Compose
import Deployments
import ExternalTools
import OrderedCollections
import Runtimes
import Specs
import Stacks
import YAML

/// `so deploy import-legacy`.
struct DeployImportLegacy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-legacy", abstract: "Import a deployment directory that stack-orchestrator made.",
        discussion: """
            Stop it with stack-orchestrator first. The directory becomes one of so's in place: its data, its ids and what \
            its spec says stay, and its own compose files and config are taken as they are; every file that is replaced is kept as <file>.bak; what changes or cannot be taken is listed. \
            --dry-run lists every file with its changes and writes nothing.
            """)

    @Argument(help: "The deployment directory.")
    var directory: String

    @Option(help: "A stack whose files are taken instead of the directory's own.")
    var stack: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let legacy = try LegacyDeployment.read(directory)
        let resolved = try stack(of: legacy)
        let (spec, text, notes) = try legacy.imported(stack: resolved)
        var request = CreateRequest(
            stack: resolved, spec: spec, specText: text, directory: legacy.root, stackSource: "",
            toolVersion: Version.description, options: Host.layerOptions())
        var identity = legacy.identity(
            stack: resolved, target: spec.deployTo ?? .podman, toolVersion: Version.description)
        request.stackSource = identity.stackSource
        if stack != nil { request.stackCommit = try? await Git().head(resolved.directory) }
        identity.stackCommit = request.stackCommit
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(notes + prepared.warnings, global: global)
        if global.dryRun { return try preview(request, identity, prepared.contents) }
        let progress = Progress(global: global)
        let update = try await Host.deployments.importLegacy(identity, request, prepared) { progress.handle($0) }
        if !global.quiet { report(update, jobs: resolved.jobs.map(\.name), at: legacy.root) }
    }

    /// Every file that would be written, with the lines that change; values of secrets' files are not shown.
    private func preview(_ request: CreateRequest, _ identity: Identity, _ contents: DirectoryContents) throws {
        let directory = DeploymentDirectory(root: request.directory, identity: identity)
        let files = Dictionary(contents.files.map { ($0.path, $0) }) { $1 }
        for path in try directory.changes(contents, tree: request.tree) {
            Terminal.output("write    \(path)\n")
            let isPrivate = path == "config.env" || path == "kubeconfig.yml" || files[path]?.mode == 0o600
            guard !isPrivate, let file = files[path] else { continue }
            let old = try Files.readIfPresent("\(request.directory)/\(path)") ?? []
            for line in lineChanges(from: old, to: try directory.content(of: file, tree: request.tree)) {
                Terminal.output("  \(line)\n")
            }
        }
        Terminal.output("write    deployment.yml\n")
    }

    private func report(_ update: DirectoryUpdate, jobs: [String], at root: String) {
        update.reportFiles()
        Terminal.note("wrote    deployment.yml (kept deployment.yml.bak)")
        Terminal.note("imported \(root)")
        for job in jobs { Terminal.note("the job \(job) is run by no start: so deployment run-job \(job)") }
        Terminal.note("next: so deployment --dir \(shellQuoted(directory)) start")
    }

    /// The directory's own files: what ran is what runs on, whatever the stack's source says by now. A stack that is named counts before.
    private func stack(of legacy: LegacyDeployment) throws -> ResolvedStack {
        if let stack { return try Host.resolver().resolve(stack) }
        // What was created is not created again.
        var own = try ResolvedStack.deployment(directory: legacy.root, name: legacy.stackName, tree: .disk)
        own.hooks[.create] = nil
        own.partHooks.removeAll { $0.occasion == .create }
        return own
    }
}
