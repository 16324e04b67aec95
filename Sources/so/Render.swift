import ArgumentParser
import Compose
import Deployments
import KubernetesObjects
import Rendering
import Runtimes
import Specs
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
        let (rendered, warnings) = try await Host.deployments.render(request())
        Diagnoses.warn(warnings, global: global)
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

    private func request() throws -> RenderRequest {
        var request = RenderRequest(try source())
        request.profiles = profile
        request.target = deployTo.flatMap { RenderOptions.Target(rawValue: $0) }
        request.namespace = namespace
        request.isStrict = strict
        request.listsDispositions = explainMapping
        return request
    }

    private func source() throws -> RenderRequest.Source {
        if let directory { return .deployment(directory) }
        if stack != nil || specFile != nil { return .stack(name: stack, specFile: specFile) }
        let input = try PipedInput(composeFiles())
        return .composeFiles(input.files, input.tree)
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
            let (outcome, text) = item.outcome.summary
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
        let export = try KustomizeExport(rendered, directory: directory)
        if global.dryRun { return export.files.forEach { Terminal.output("\(directory)/\($0.path)\n") } }
        try export.write()
        noteSecrets(rendered)
    }
}
