import ArgumentParser
import Deployments
import ExternalTools

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
        let request = try Host.deployments.request(webapp())
        let prepared = try prepareDirectory(request)
        Diagnoses.warn(prepared.warnings, global: global)
        if global.dryRun { return Terminal.output(String(decoding: request.specText, as: UTF8.self)) }
        let made = try await Host.deployments.create(request, prepared)
        guard !global.quiet else { return }
        Terminal.note("created \(made.root)")
        Terminal.note("next: so deployment --dir \(shellQuoted(deploymentDir)) start")
    }

    private func webapp() throws -> WebappRequest {
        var webapp = WebappRequest(directory: deploymentDir, image: image, route: try route())
        webapp.port = port
        webapp.environmentFile = envFile
        webapp.target = deployTo?.target
        webapp.kubeConfig = kubeConfig
        webapp.imageRegistry = imageRegistry
        return webapp
    }

    private func route() throws -> WebappRequest.Route {
        guard let route = WebappRequest.Route(url: url) else {
            throw ValidationError("--url takes a URL such as https://app.example.com, and is '\(url)'")
        }
        return route
    }
}
