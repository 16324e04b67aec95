import ArgumentParser
import Compose
import Deployments
import ExternalTools
import OrderedCollections
import Stacks
import YAML

/// `so deploy create`.
struct DeployCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a deployment directory of a spec, or bring one up to date.",
        discussion: """
            The directory holds all that the deployment needs: the stack's repository may vanish afterwards. With \
            --update, identity, secrets and data stay; a file whose content changes is kept as <file>.bak.
            """)

    @Option(name: .long, help: "The spec that `so deploy init` wrote.")
    var specFile: String

    @Option(name: .long, help: "The directory to make (default: deployments/<stack>).")
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
        let request = try await request()
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(prepared.warnings, global: global)
        if global.dryRun { return prepared.contents.files.forEach { Terminal.output("\($0.path)\n") } }
        let directory = try await createDirectory(request, contents: prepared.contents) { line in hookNote(line) }
        guard !global.quiet else { return }
        Terminal.note("created \(directory.root)")
        if helmChart {
            Terminal.note(
                "next: helm install \(directory.identity.stackName) \(shellQuoted("\(deploymentDir ?? directory.root)/chart"))"
            )
        }
        Terminal.note("next: so deployment --dir \(shellQuoted(deploymentDir ?? directory.root)) start")
    }

    private func request() async throws -> CreateRequest {
        var request = try await CreateRequest.make(
            specFile: specFile, stack: stack, directory: deploymentDir, isUpdate: update, global: global)
        request.hookArguments = hookArguments
        request.networkDirectory = networkDir.map(Files.absolute)
        request.initialPeers = initialPeers
        request.isStrict = strict
        // A chart that is there is kept up to date, asked for or not: a stale one would be installed.
        request.makesHelmChart = helmChart || (update && Files.exists("\(request.directory)/chart/Chart.yaml"))
        if request.makesHelmChart, request.identity == nil { request.identity = try request.newIdentity() }
        return request
    }

    private func updateExisting() async throws {
        let directory = try await existing()
        if global.dryRun {
            let request = try await request()
            let prepared = try prepareDirectory(request)
            Diagnoses.warn(prepared.warnings, global: global)
            return try directory.changes(prepared.contents, tree: request.tree).forEach { Terminal.output("\($0)\n") }
        }
        let lock = try await directory.lockForChange(verb: "deploy create --update")
        // Only now: the spec may be the deployment's own, which a killed update or the command waited for was writing.
        let update = try await directory.update(from: request(), global: global)
        if !global.quiet { update.report(directory) }
        _ = consume lock
    }

    private func existing() async throws -> DeploymentDirectory {
        if let deploymentDir { return try DeploymentDirectory.open(deploymentDir) }
        var silent = global
        silent.quiet = true
        let request = try await CreateRequest.make(
            specFile: specFile, stack: stack, directory: nil, isUpdate: true, global: silent)
        return try DeploymentDirectory.open(request.directory)
    }

    private func hookNote(_ line: String) {
        if !global.quiet { Terminal.note("create hook: \(line)") }
    }
}

extension DeploymentDirectory {
    /// Brings the directory up to a stack and spec; the caller holds the lock.
    func update(from request: CreateRequest, global: GlobalOptions) async throws -> DirectoryUpdate {
        let changes = try volumeChanges(request)
        var request = request
        request.spec.place(changes.placed)
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(prepared.warnings, global: global)
        let known = Set(try placedVolumeNames())
        try record(changes)
        let update = try await updateDirectory(self, request, contents: prepared.contents) { line in
            if !global.quiet { Terminal.note("create hook: \(line)") }
        }
        guard !global.quiet else { return update }
        for (name, path) in changes.placed where !known.contains(name) {
            Terminal.note(
                "volume   \(name) is new: its data goes to \(path); `volumes:` in the spec can place it elsewhere")
        }
        for volume in changes.dropped {
            Terminal.note("volume   \(volume) is mounted by nothing any more: it stays until `stop --delete-volumes`")
        }
        return update
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
    func report(_ directory: DeploymentDirectory, isLast: Bool = true) {
        if !hasNews { return Terminal.note("nothing to update in \(directory.root)") }
        reportFiles()
        Terminal.note("updated \(directory.root)")
        if isLast { Terminal.note("next: so deployment --dir \(shellQuoted(directory.root)) start") }
    }
}

extension CreateRequest {
    /// Reads the spec and resolves its stack.
    static func make(
        specFile: String, stack: String?, directory: String?, isUpdate: Bool, global: GlobalOptions
    ) async throws -> CreateRequest {
        let path = Files.absolute(specFile)
        let loaded = try loadSpec(path, tree: .disk)
        Diagnoses.warn(loaded.warnings, global: global)
        guard let name = stack ?? loaded.spec.stack else {
            throw StackError(.notFound, "\(specFile) names no stack", hint: "add `stack: NAME`, or give --stack")
        }
        let resolved = try Host.stack(name, specDirectory: loaded.spec.directory)
        var request = CreateRequest(
            stack: resolved, spec: loaded.spec, specText: try Files.read(path),
            directory: Files.canonical(directory ?? "deployments/\(resolved.name)"),
            stackSource: resolved.directory, toolVersion: Version.description, options: Host.layerOptions())
        request.stackCommit = try? await Git().head(resolved.directory)
        guard isUpdate else { return request }
        let deployment = try DeploymentDirectory.open(request.directory)
        try deployment.identity.refuseOther(request)
        request.identity = deployment.identity
        request.tree = try deployment.fileTree()
        try request.take(deployment.configEdits(), global: global)
        return request
    }
}

extension CreateRequest {
    /// Keeps what was changed in the deployment's config.env.
    mutating func take(_ edits: ConfigEdits, global: GlobalOptions) {
        Diagnoses.warn(edits.warnings, global: global)
        options.configEdits = edits.values
    }
}

extension Host {
    /// The stack of a spec: its path may start from the working directory or from the spec's own.
    static func stack(_ name: String, specDirectory: String) throws -> ResolvedStack {
        let resolver = try resolver()
        let besideSpec = Files.absolute("\(specDirectory)/\(name)")
        if name.contains("/"), !name.hasPrefix("/"), !Files.exists("\(workingDirectory)/\(name)/stack.yml"),
            Files.exists("\(besideSpec)/stack.yml")
        {
            return try resolver.resolve(besideSpec)
        }
        return try resolver.resolve(name)
    }
}
