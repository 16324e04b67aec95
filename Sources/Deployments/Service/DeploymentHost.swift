package import ExternalTools
import FoundationEssentials

/// What of this host deployments may use, as values: the library itself looks nothing up.
package struct DeploymentHost: Sendable {
    /// The operator's environment: podman's and the cluster's settings, the names that a spec lists in `env-from-host`, tokens of registries.
    package var environment: [String: String]
    package var podman: Podman
    /// Where so's own data is, with `config/ingress`; nil: routes cannot be served on kind. Asked only where a deployment needs it.
    package var dataRoot: @Sendable () throws -> String?

    package init(environment: [String: String], dataRoot: @escaping @Sendable () throws -> String? = { nil }) {
        self.environment = environment
        self.dataRoot = dataRoot
        podman = Podman(inherited: environment) { FileManager.default.fileExists(atPath: $0) }
    }

    package var homeDirectory: String? { environment["HOME"] }

    /// Where the shared kind cluster's kubeconfig and certificates are kept.
    package var kindDirectory: String {
        let home = environment["HOME"] ?? "/root"
        return (environment["XDG_DATA_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.local/share") + "/so/kind"
    }

    /// The ingress controller's manifest among the data that `so` comes with.
    package func ingressController(image: String?, acmeEmail: String?) throws -> IngressController {
        guard let file = try dataRoot().map({ "\($0)/config/ingress/traefik.yml" }), Files.exists(file) else {
            throw DeploymentError(
                .missing, "the ingress controller's manifest config/ingress/traefik.yml is missing from so's data",
                hint: "set SO_DATA_DIR to the directory that holds stacks/ and config/")
        }
        return try IngressController(manifest: Files.read(file), file: file, image: image, acmeEmail: acmeEmail)
    }
}
