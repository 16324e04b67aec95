import ArgumentParser
import Compose
import Deployments
import ExternalTools
import OrderedCollections
import Runtimes
import Specs
import Stacks
import YAML

/// `so deploy init`.
struct DeployInit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init", abstract: "Write a spec: what you decide about one deployment of a stack.",
        discussion: """
            The spec lists the stack's ports and volumes, what its init hook suggests, and your --config. Edit it, keep it \
            in git, and give it to `so deploy create`. A spec that stands there already is kept as <file>.bak.
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

    /// The names of targets, the predecessor's too.
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
        let (target, reason) = await chosenTarget()
        let resolved = try Host.resolver().resolve(stack.stack)
        var diagnostics = Diagnostics()
        var request = SpecRequest(
            stack: resolved.source == .builtIn ? resolved.name : stackReference(resolved), target: target)
        request.config = try configuration(&diagnostics)
        request.kubeConfig = kubeConfig
        request.imageRegistry = imageRegistry
        request.homeDirectory = Host.environment["HOME"]
        // A flag that cannot be read is a usage error; the problems of the stack come later.
        if diagnostics.hasErrors { throw usageFailure(diagnostics) }
        let progress = Progress(global: global)
        request.fragment = try await Host.deployments.initialFragment(
            of: resolved, target: target, diagnostics: &diagnostics
        ) { progress.handle($0) }
        let spec = initialSpec(
            resolved, request, ports: PortMapper(recipe: mapPortsToHost, isFree: { HostPorts.isFree($0) }), tree: .disk,
            diagnostics: &diagnostics)
        guard let spec, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        try check(spec, &diagnostics)
        Diagnoses.warn(diagnostics.list, global: global)
        try write(spec, to: target, because: reason)
    }

    /// - Returns: the target, and why it is this one where nobody said which.
    private func chosenTarget() async -> (DeploymentTarget, reason: String?) {
        if let deployTo { return (deployTo.target, nil) }
        // Flags that a cluster alone takes are told as such; no cluster of this host is meant.
        guard kubeConfig == nil, imageRegistry == nil,
            let provider = await KindHost.provider(environment: Host.environment)
        else { return (.podman, nil) }
        return (.kind, "kind and \(provider.program) work here; --deploy-to podman needs no cluster")
    }

    private func stackReference(_ resolved: ResolvedStack) -> String {
        if case .fetched = resolved.source { return resolved.name }
        return resolved.directory
    }

    private func configuration(_ diagnostics: inout Diagnostics) throws -> OrderedDictionary<String, Located<String>> {
        var result: OrderedDictionary<String, Located<String>> = [:]
        if let configFile {
            result = try readConfigFile(Files.absolute(configFile), tree: .disk, diagnostics: &diagnostics)
        }
        return result.merging(parseConfigFlags(config, diagnostics: &diagnostics)) { _, flag in flag }
    }

    private func usageFailure(_ diagnostics: Diagnostics) -> any Error {
        let isFlag = diagnostics.list.allSatisfy { $0.mark?.file == "--config" }
        guard isFlag else { return InvalidInput(diagnostics.list) }
        let malformed = config.compactMap { $0.split(separator: "=").first }.joined(separator: ", ")
        let reasons = diagnostics.list.map(\.what).joined(separator: "; ")
        return ValidationError("\(reasons) (got \(malformed))")
    }

    /// The spec as a reader will see it must be sound: what was said on the command line is checked by the same rules.
    private func check(_ spec: Spec, _ diagnostics: inout Diagnostics) throws {
        var found = Diagnostics()
        _ = parseSpec(spec.node, directory: Files.absolute("."), diagnostics: &found)
        try found.throwIfErrors()
        diagnostics.append(contentsOf: found.list)
    }

    private func write(_ spec: Spec, to target: DeploymentTarget, because reason: String?) throws {
        let path = Files.absolute(output)
        let text = Array(emitYAML([spec.node]).utf8)
        if global.dryRun { return Terminal.output(String(decoding: text, as: UTF8.self)) }
        guard Files.isDirectory(Files.parent(of: path)) else {
            throw DeploymentError(
                .cannotCreate, "cannot write \(output): no directory \(Files.parent(of: path))",
                hint: "make the directory, or name another file")
        }
        let old = try Files.readIfPresent(path)
        let backup = old == nil || old == text ? nil : Files.freeBackup(of: path)
        if old != text {
            if let backup { try Files.linkReplacing(path, at: backup) }
            try Files.write(text, to: path, mode: (Files.mode(path) ?? 0o644) & 0o644 | 0o600)
        }
        guard !global.quiet else { return }
        let kept = backup.map { "; kept the old one as \(lastPathComponent($0))" } ?? ""
        Terminal.note("wrote \(output) (deploy-to: \(target.rawValue)\(reason.map { "; \($0)" } ?? "")\(kept))")
        Terminal.note("next: so deploy create --spec-file \(shellQuoted(output)) --deployment-dir DIRECTORY")
    }
}

extension PortRecipe: ExpressibleByArgument {}
