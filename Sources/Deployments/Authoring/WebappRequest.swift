import Compose
import FoundationEssentials
import Rendering
import Runtimes
package import Specs
import Stacks
import YAML

/// A deployment of one web app's image and its URL; paths are as the user has written them.
package struct WebappRequest: Sendable {
    /// The host name and path that a URL names.
    package struct Route: Hashable, Sendable {
        package var host: String
        package var path: String

        /// Nil for a text that is not an http or https URL with a host.
        package init?(url: String) {
            guard let parts = URL(string: url), let host = parts.host, ["http", "https"].contains(parts.scheme ?? "")
            else { return nil }
            self.host = host
            path = parts.path.isEmpty ? "/" : parts.path
        }
    }

    package var directory: String
    package var image: String
    package var route: Route
    /// The port that the app listens on.
    package var port = 80
    /// An env file for the app.
    package var environmentFile: String?
    /// Nil: podman, or any cluster where a kubeconfig is named.
    package var target: DeploymentTarget?
    package var kubeConfig: String?
    package var imageRegistry: String?

    package init(directory: String, image: String, route: Route) {
        self.directory = directory
        self.image = image
        self.route = route
    }
}

extension DeploymentService {
    /// Decides the deployment of a web app, which is one of the built-in stack webapp-template.
    package func request(_ webapp: WebappRequest) throws -> CreateRequest {
        var diagnostics = Diagnostics()
        let directory = Files.canonical(host.absolute(webapp.directory))
        let stack = try host.resolver().resolve("webapp-template")
        let text = Array(emitYAML([try document(webapp, &diagnostics)]).utf8)
        let spec = parseSpec(text, file: "\(directory)/spec.yml", directory: directory, diagnostics: &diagnostics)
        guard let spec, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        return CreateRequest(
            stack: stack, spec: spec, specText: text, directory: directory, stackSource: stack.directory,
            toolVersion: host.toolVersion, options: host.layerOptions)
    }

    private func document(_ webapp: WebappRequest, _ diagnostics: inout Diagnostics) throws -> Node {
        let target = webapp.target ?? (webapp.kubeConfig == nil ? .podman : .kubernetes)
        let rule = Node.map([
            ("path", .string(webapp.route.path)), ("proxy-to", .string("webapp:\(webapp.port)")),
        ])
        let proxy = Node.map([("host-name", .string(webapp.route.host)), ("routes", .list([rule]))])
        var entries: [(String, Node)] = [
            ("stack", .string("webapp-template")), ("deploy-to", .string(target.rawValue)),
            // Each app has a namespace of its own, though all are of one stack.
            ("namespace", .string(Names.label("so-webapp-\(webapp.route.host)"))),
            ("config", .map(try config(webapp, &diagnostics))),
            // The app's own variables are unknown to the stack: they reach it because all do.
            ("config-scope", .string("all")), ("network", .map([("http-proxy", .list([proxy]))])),
        ]
        if let file = webapp.kubeConfig { entries.append(("kube-config", .string(host.absolute(file)))) }
        if let registry = webapp.imageRegistry { entries.append(("image-registry", .string(registry))) }
        return .map(entries)
    }

    private func config(_ webapp: WebappRequest, _ diagnostics: inout Diagnostics) throws -> [(String, Node)] {
        var config: [(String, Node)] = [("WEBAPP_IMAGE", .string(webapp.image))]
        if webapp.port != 80 { config.append(("WEBAPP_PORT", .string("\(webapp.port)"))) }
        guard let file = webapp.environmentFile else { return config }
        let variables = try readConfigFile(host.absolute(file), tree: .disk, diagnostics: &diagnostics)
        return config + variables.map { ($0.key, .string($0.value.value)) }
    }
}
