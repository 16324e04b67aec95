import ArgumentParser
import Compose
import Deployments
import ExternalTools
import OrderedCollections
import Specs
import YAML

/// `so deploy init`.
struct DeployInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a spec: what you decide about one deployment of a stack.",
        discussion: """
            The spec lists the stack's ports and volumes, what its init hook suggests, and your --config. Edit it, keep it \
            in git, and give it to `so deploy create`. A spec that is there already is kept as <file>.bak.
            """)

    @OptionGroup var stack: StackOption

    @Option(help: "The file to write.")
    var output: String

    @Option(
        help:
            "Where it will run: podman, k8s-kind or k8s; compose means podman. (default: k8s-kind where kind and a container engine work, else podman)"
    )
    var deployTo: Target?

    @Option(help: ArgumentHelp("KEY=value for the spec's config; repeat it, or write A=1,B=2.", valueName: "KEY=value"))
    var config: [String] = []

    @Option(help: "An env file for the spec's config.")
    var configFile: String?

    @Option(help: "How ports are published: \(PortRecipe.allCases.map(\.rawValue).joined(separator: ", ")).")
    var mapPortsToHost: PortRecipe = .anyVariableRandom

    @Option(help: "The kubeconfig of the cluster (k8s).")
    var kubeConfig: String?

    @Option(help: "The registry that images are pushed to and pulled from (k8s).")
    var imageRegistry: String?

    @OptionGroup var global: GlobalOptions

    /// The names of targets, those of stack-orchestrator too.
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case podman
        case compose
        case kind = "k8s-kind"
        case kubernetes = "k8s"

        var target: DeploymentTarget {
            switch self {
            case .podman, .compose: .podman
            case .kind: .kind
            case .kubernetes: .kubernetes
            }
        }
    }

    func run() async throws {
        let request = try request()
        let progress = Progress(global: global)
        let spec = try await Host.deployments.newSpec(request) { progress.handle($0) }
        if global.dryRun { return Terminal.output(String(decoding: spec.text, as: UTF8.self)) }
        let backup = try Host.deployments.write(spec, to: output)
        guard !global.quiet else { return }
        let kept = backup.map { "; kept the old one as \($0)" } ?? ""
        Terminal.note(
            "wrote \(output) (deploy-to: \(spec.target.rawValue)\(spec.reason.map { "; \($0)" } ?? "")\(kept))")
        Terminal.note("next: so deploy create --spec-file \(shellQuoted(output)) --deployment-dir DIRECTORY")
    }

    private func request() throws -> NewSpecRequest {
        var request = NewSpecRequest(stack: stack.stack)
        request.target = deployTo?.target
        request.configFile = configFile
        request.config = try configFlags()
        request.ports = mapPortsToHost
        request.kubeConfig = kubeConfig
        request.imageRegistry = imageRegistry
        return request
    }

    private func configFlags() throws -> OrderedDictionary<String, Located<String>> {
        var diagnostics = Diagnostics()
        let flags = parseConfigFlags(config, diagnostics: &diagnostics)
        guard diagnostics.hasErrors else { return flags }
        let malformed = config.compactMap { $0.split(separator: "=").first }.joined(separator: ", ")
        let reasons = diagnostics.list.map(\.what).joined(separator: "; ")
        throw ValidationError("\(reasons) (got \(malformed))")
    }
}

extension PortRecipe: ExpressibleByArgument {}
