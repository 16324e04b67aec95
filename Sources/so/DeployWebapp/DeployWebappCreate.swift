import ArgumentParser
import Compose
import Deployments
import ExternalTools
import FoundationEssentials
import OrderedCollections
import Rendering
import Runtimes
import Specs
import Stacks
import YAML

/// `so deploy-webapp create`.
struct DeployWebappCreate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a deployment directory for one web app's image and its URL.",
        discussion: """
            It is a deployment of the built-in stack webapp-template like any other: edit its spec.yml, `so deploy create \
            --update`, `so deployment start`. The variables of --env-file reach the container.
            """)

    @Option(help: "The directory to create.")
    var deploymentDir: String

    @Option(help: "The image to run.")
    var image: String

    @Option(help: ArgumentHelp("The URL to serve, such as https://app.example.com/path.", valueName: "url"))
    var url: String

    @Option(help: "The port that the app listens on.")
    var port: Int = 80

    @Option(help: "An env file for the app.")
    var envFile: String?

    @Option(help: "Where it will run: podman (default; k8s where --kube-config is given), k8s-kind or k8s.")
    var deployTo: DeployInit.Target?

    @Option(help: "The kubeconfig of the cluster (k8s).")
    var kubeConfig: String?

    @Option(help: "The registry that images are pushed to and pulled from (k8s).")
    var imageRegistry: String?

    @OptionGroup var global: GlobalOptions

    func validate() throws {
        guard (1...65535).contains(port) else { throw ValidationError("--port takes a number from 1 to 65535") }
        _ = try route()
    }

    func run() async throws {
        var diagnostics = Diagnostics()
        let directory = Files.canonical(deploymentDir)
        let stack = try Host.resolver().resolve("webapp-template")
        let text = Array(emitYAML([try document(&diagnostics)]).utf8)
        let spec = parseSpec(text, file: "\(directory)/spec.yml", directory: directory, diagnostics: &diagnostics)
        guard let spec, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        let request = CreateRequest(
            stack: stack, spec: spec, specText: text, directory: directory, stackSource: stack.directory,
            toolVersion: Version.description, options: Host.layerOptions())
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(prepared.warnings, global: global)
        if global.dryRun { return Terminal.output(String(decoding: text, as: UTF8.self)) }
        let made = try await createDirectory(request, contents: prepared.contents) { _ in }
        guard !global.quiet else { return }
        Terminal.note("created \(made.root)")
        Terminal.note("next: so deployment --dir \(shellQuoted(deploymentDir)) start")
    }

    private func document(_ diagnostics: inout Diagnostics) throws -> Node {
        let target = deployTo?.target ?? (kubeConfig == nil ? .podman : .kubernetes)
        var config: [(String, Node)] = [("WEBAPP_IMAGE", .string(image))]
        if port != 80 { config.append(("WEBAPP_PORT", .string("\(port)"))) }
        if let envFile {
            let variables = try readConfigFile(Files.absolute(envFile), tree: .disk, diagnostics: &diagnostics)
            config += variables.map { ($0.key, .string($0.value.value)) }
        }
        let (host, path) = try route()
        let rule = Node.map([("path", .string(path)), ("proxy-to", .string("webapp:\(port)"))])
        let proxy = Node.map([("host-name", .string(host)), ("routes", .list([rule]))])
        var entries: [(String, Node)] = [
            ("stack", .string("webapp-template")), ("deploy-to", .string(target.rawValue)),
            // Each app has a namespace of its own, though all are of one stack.
            ("namespace", .string(Names.label("so-webapp-\(host)"))), ("config", .map(config)),
            // The app's own variables are unknown to the stack: they reach it because all do.
            ("config-scope", .string("all")), ("network", .map([("http-proxy", .list([proxy]))])),
        ]
        if let kubeConfig { entries.append(("kube-config", .string(Files.absolute(kubeConfig)))) }
        if let imageRegistry { entries.append(("image-registry", .string(imageRegistry))) }
        return .map(entries)
    }

    private func route() throws -> (host: String, path: String) {
        guard let parts = URL(string: url), let host = parts.host, ["http", "https"].contains(parts.scheme ?? "") else {
            throw ValidationError("--url takes a URL such as https://app.example.com, and is '\(url)'")
        }
        return (host, parts.path.isEmpty ? "/" : parts.path)
    }
}
