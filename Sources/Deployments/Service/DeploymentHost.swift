import Compose
package import ExternalTools
import FoundationEssentials
package import Runtimes
package import Specs
package import Stacks

/// What of this host deployments may use, as values: the library itself looks nothing up.
package struct DeploymentHost: Sendable {
    /// The operator's environment: podman's and the cluster's settings, the names that a spec lists in `env-from-host`, tokens of registries.
    package var environment: [String: String]
    package var podman: Podman
    /// Where relative paths that a user has written start; absolute.
    package var workingDirectory: String
    /// The program that runs, near which the data that `so` comes with is looked for; nil: no such data.
    package var executable: String?
    /// The version that is written into what is made.
    package var toolVersion = ""

    package init(environment: [String: String], workingDirectory: String = "/", executable: String? = nil) {
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.executable = executable
        podman = Podman(inherited: environment)
    }

    /// Git with the operator's environment.
    package var git: Git { Git(inherited: environment) }

    package var homeDirectory: String? { environment["HOME"] }

    /// Where the shared kind cluster's kubeconfig and certificates are kept.
    package var kindDirectory: String {
        let home = environment["HOME"] ?? "/root"
        return (environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.local/share") + "/so/kind"
    }

    /// What `so` keeps on this host beside the deployments.
    package var stateDirectory: String { hostStateDirectory(environment) }

    /// What the host brings into the layering of values.
    package var layerOptions: LayerOptions {
        var options = LayerOptions(hostEnvironment: environment)
        options.homeDirectory = homeDirectory
        return options
    }

    /// How long a hook may take.
    var hookLimit: Duration { Deployments.hookLimit(environment) }

    /// A path as the user has written it, absolute.
    package func absolute(_ path: String) -> String {
        Files.absolute(path.hasPrefix("/") ? path : "\(workingDirectory)/\(path)")
    }

    /// Where stacks, and the data that `so` comes with, are looked for.
    package func locations() throws -> StackLocations {
        try StackLocations(
            environment: environment, executable: executable, workingDirectory: workingDirectory, tree: .disk)
    }

    package func resolver() throws -> StackResolver { StackResolver(locations: try locations()) }

    /// The stack of a spec: its path may start from the working directory or from the spec's own.
    package func stack(_ name: String, specDirectory: String) throws -> ResolvedStack {
        let besideSpec = absolute("\(specDirectory)/\(name)")
        if name.contains("/"), !name.hasPrefix("/"), !Files.exists("\(workingDirectory)/\(name)/stack.yml"),
            Files.exists("\(besideSpec)/stack.yml")
        {
            return try resolver().resolve(besideSpec)
        }
        return try resolver().resolve(name)
    }

    /// The ingress controller's manifest among the data that `so` comes with.
    package func ingressController(image: String?, acmeEmail: String?) throws -> IngressController {
        guard let file = try locations().builtInRoot.map({ "\($0)/config/ingress/traefik.yml" }), Files.exists(file)
        else {
            throw DeploymentError(
                .missing, "the ingress controller's manifest config/ingress/traefik.yml is missing from so's data",
                hint: "set SO_DATA_DIR to the directory that holds stacks/ and config/")
        }
        return try IngressController(manifest: Files.read(file), file: file, image: image, acmeEmail: acmeEmail)
    }
}
