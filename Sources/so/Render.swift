import ArgumentParser
import Compose
import Deployments
import KubernetesObjects
import Rendering
import Stacks
import YAML

/// `so render`.
struct Render: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "render", abstract: "Print the Kubernetes objects of compose files, a stack or a deployment.",
        discussion: """
            Nothing is run or changed. Secrets are never printed: `so deployment start` creates them, and the objects \
            refer to them by name.
            """)

    /// The forms of the output.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case yaml
        case json
    }

    @Option(
        name: [.customShort("f"), .customLong("file")],
        help: "A compose file, or - for standard input; more are merged over it.")
    var files: [String] = []

    @Option(help: "The stack: a path or a name.")
    var stack: String?

    @Option(help: "The spec to layer over the stack.")
    var specFile: String?

    @Option(name: .customLong("dir"), help: "A deployment directory.")
    var directory: String?

    @Option(help: "Activate a profile of the compose files.")
    var profile: [String] = []

    @Option(help: "The target: podman, k8s-kind or k8s (default: the spec's, else none in particular).")
    var deployTo: String?

    @Option(help: "The namespace of the objects.")
    var namespace: String?

    @Flag(help: "Treat compose keys without an equivalent as errors.")
    var strict = false

    @Flag(help: "Print what every compose key becomes, instead of the objects.")
    var explainMapping = false

    @Option(name: [.customShort("o"), .customLong("output")], help: "yaml or json.")
    var format: Format = .yaml

    @Option(help: "Write one file per object into this directory, with a kustomization.yaml.")
    var outputDir: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let sources = [!files.isEmpty, stack != nil || specFile != nil, directory != nil].filter { $0 }.count
        if sources > 1 { throw ValidationError("give one of -f, --stack (with --spec-file) or --dir") }
        if let deployTo, RenderOptions.Target(rawValue: deployTo) == nil {
            throw ValidationError("--deploy-to takes podman, k8s-kind or k8s")
        }
    }

    func run() async throws {
        var diagnostics = Diagnostics()
        let rendered = try await rendered(&diagnostics)
        try diagnostics.throwIfErrors()
        Diagnoses.warn(diagnostics.list, global: global)
        if explainMapping { return printMapping(rendered) }
        if let outputDir { return try write(rendered, to: outputDir) }
        let nodes = try rendered.objects.map { try $0.node() }
        switch format {
        case .yaml: Terminal.output(emitYAML(nodes))
        case .json:
            let list: Node = .map([("apiVersion", .string("v1")), ("kind", .string("List")), ("items", .list(nodes))])
            Terminal.output(list.json(pretty: true) + "\n")
        }
        noteSecrets(rendered)
    }

    private func rendered(_ diagnostics: inout Diagnostics) async throws -> RenderedDeployment {
        if let directory { return try await renderedDeployment(directory, &diagnostics) }
        var options = Host.layerOptions()
        options.profiles = profile
        var tree = FileTree.disk
        let project: LayeredProject?
        var spec = Spec(file: "(no spec)", directory: Host.workingDirectory)
        if stack != nil || specFile != nil {
            let resolved: ResolvedStack
            (resolved, spec) = try stackAndSpec()
            project = layer(resolved, spec: spec, options: options, tree: tree, diagnostics: &diagnostics)
            tree = resolved.overlay(tree)
        } else {
            let input = try PipedInput(composeFiles())
            tree = input.tree
            project = layer(
                composeFiles: input.files, spec: spec, options: options, tree: tree, diagnostics: &diagnostics)
        }
        guard let project else { throw InvalidInput(diagnostics.list) }
        var renderOptions = RenderOptions(
            spec: spec, stackName: project.stackName, deploymentID: Names.label(project.stackName))
        renderOptions.homeDirectory = options.homeDirectory
        adjust(&renderOptions, hasTarget: spec.deployTo != nil)
        return render(project, options: renderOptions, tree: tree, diagnostics: &diagnostics)
    }

    private func renderedDeployment(
        _ directory: String, _ diagnostics: inout Diagnostics
    ) async throws -> RenderedDeployment {
        let loaded = try await LoadedDeployment.complete(
            DeploymentDirectory.open(directory), options: Host.layerOptions()
        ) { adjust(&$0, hasTarget: true) }
        diagnostics.append(contentsOf: loaded.warnings)
        return loaded.rendered
    }

    private func adjust(_ options: inout RenderOptions, hasTarget: Bool) {
        options.homeDirectory = Host.environment["HOME"]
        if let deployTo, let target = RenderOptions.Target(rawValue: deployTo) {
            options.target = target
        } else if !hasTarget {
            options.target = .none
        }
        if let namespace { options.namespace = namespace }
        options.isStrict = strict
        options.listsDispositions = explainMapping
    }

    private func stackAndSpec() throws -> (ResolvedStack, Spec) {
        guard let specFile else {
            let resolved = try Host.resolver().resolve(stack ?? "")
            return (resolved, Spec(file: "(no spec)", directory: resolved.directory))
        }
        let loaded = try loadSpec(Files.absolute(specFile), tree: .disk)
        Diagnoses.warn(loaded.warnings, global: global)
        guard let name = stack ?? loaded.spec.stack else {
            throw StackError(.notFound, "\(specFile) names no stack", hint: "add `stack: NAME`, or give --stack")
        }
        return (try Host.deployments.host.stack(name, specDirectory: loaded.spec.directory), loaded.spec)
    }

    private func composeFiles() throws -> [String] {
        guard files.isEmpty else { return files }
        let found = discoverComposeFiles(Host.workingDirectory, tree: .disk)
        guard !found.isEmpty else {
            throw DeploymentError(
                .missing, "no compose file in \(Host.workingDirectory)",
                hint: "name one with -f, or a stack with --stack, or a deployment with --dir")
        }
        return found
    }

    private func printMapping(_ rendered: RenderedDeployment) {
        let rows = rendered.dispositions.map { item -> [Node] in
            let (outcome, text) = item.outcome.words
            return [
                item.service.map { .string($0) } ?? .plain("null"), .string(item.key), .string(outcome), .string(text),
                .string(item.mark.description),
            ]
        }
        Table(columns: ["service", "key", "outcome", "as", "where"], rows: rows)
            .print(format == .json ? .json : .table)
    }

    private func noteSecrets(_ rendered: RenderedDeployment) {
        guard !rendered.secrets.isEmpty, !global.quiet else { return }
        let names = rendered.secrets.map(\.name).joined(separator: ", ")
        Terminal.note("note: Secrets are not printed: \(names); `so deployment start` creates them")
    }

    private func write(_ rendered: RenderedDeployment, to directory: String) throws {
        let files = try KustomizeBase(rendered).files
        if global.dryRun { return files.forEach { Terminal.output("\(directory)/\($0.path)\n") } }
        try Files.makeDirectory(directory)
        // What an earlier export wrote and this one does not would go on being applied.
        let names = Set(files.map(\.path))
        for name in try Files.list(directory) where name.hasSuffix(".yaml") && !names.contains(name) {
            let path = "\(directory)/\(name)"
            guard !Files.isDirectory(path), try Files.read(path).starts(with: KustomizeBase.header.utf8) else {
                continue
            }
            try Files.remove(path)
        }
        for file in files { try Files.write(Array(file.text.utf8), to: "\(directory)/\(file.path)") }
        noteSecrets(rendered)
    }
}

extension KeyMapping.Outcome {
    /// The outcome in one word, and the rest of it.
    fileprivate var words: (String, String) {
        switch self {
        case .mapped(let text): ("mapped", text)
        case .loaded(let text): ("loaded", text)
        case .noted(let text): ("noted", text)
        case .reported(let text): ("reported", text)
        case .refused(let text): ("refused", text)
        }
    }
}
