import ArgumentParser
import Compose
import Deployments
import ExternalTools
import Stacks
import YAML

/// `so deploy import-legacy`.
struct DeployImportLegacy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-legacy", abstract: "Take over a deployment directory that stack-orchestrator made.",
        discussion: """
            Stop it with stack-orchestrator first. The directory becomes one of so's in place: its data, its ids and what \
            its spec says stay; every file that is replaced is kept as <file>.bak; what changes or cannot be taken is listed. \
            --dry-run lists it and changes nothing.
            """)

    @Argument(help: "The deployment directory.")
    var directory: String

    @Option(help: "The stack, where it is not found any more in the place that the deployment names.")
    var stack: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let legacy = try LegacyDeployment.read(directory)
        let resolved = try stack(of: legacy)
        let (spec, text, notes) = try legacy.imported(stack: resolved)
        var request = CreateRequest(
            stack: resolved, spec: spec, specText: text, directory: legacy.root, stackSource: resolved.directory,
            toolVersion: Version.description, options: Host.layerOptions())
        request.stackCommit = try? await Git().head(resolved.directory)
        var identity = legacy.identity(
            stack: resolved, target: spec.deployTo ?? .podman, toolVersion: Version.description)
        identity.stackCommit = request.stackCommit
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(notes + prepared.warnings, global: global)
        if global.dryRun { return Terminal.output(String(decoding: text, as: UTF8.self)) }
        let unlocked = DeploymentDirectory(root: legacy.root, identity: identity)
        try Files.makeDirectory(unlocked.stateDirectory, mode: 0o700)
        let lock = try await unlocked.lock(verb: "deploy import-legacy")
        let update = try await importDirectory(identity, request, contents: prepared.contents) { line in
            Terminal.note("create hook: \(line)")
        }
        if !global.quiet { report(update, at: legacy.root) }
        _ = consume lock
    }

    private func report(_ update: DirectoryUpdate, at root: String) {
        update.reportFiles()
        Terminal.note("wrote    deployment.yml (kept deployment.yml.bak)")
        Terminal.note("imported \(root)")
        Terminal.note("next: so deployment --dir \(shellQuoted(directory)) start")
    }

    /// The stack that is named, else the one that the deployment was made of, else what the directory itself holds.
    private func stack(of legacy: LegacyDeployment) throws -> ResolvedStack {
        let resolver = try Host.resolver()
        if let stack { return try resolver.resolve(stack) }
        if let source = legacy.stackSource, Files.exists("\(source)/stack.yml") { return try resolver.resolve(source) }
        if let name = legacy.stackReference, !name.contains("/"), let found = try? resolver.resolve(name) {
            return found
        }
        Terminal.note(
            "the stack \(legacy.stackReference ?? "") is not here any more: the directory's own files are taken")
        return try ResolvedStack.deployment(directory: legacy.root, name: legacy.stackName, tree: .disk)
    }
}
