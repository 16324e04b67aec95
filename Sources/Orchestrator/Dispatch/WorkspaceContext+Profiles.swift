package import Deployments
import Specs
package import Workspaces
import YAML

extension WorkspaceContext {
    /// Without what a definition in a repository could bring out of the server's environment: credentials, tokens of forges, keys.
    package var forAgentsOfOthers: WorkspaceContext {
        var context = self
        context.environment = environment.filter { name, _ in
            Self.harmless.contains(name) || Self.harmlessBeginnings.contains { name.hasPrefix($0) }
        }
        return context
    }

    private static let harmless: Set = [
        "PATH", "HOME", "TMPDIR", "USER", "LOGNAME", "LANG", "KUBECONFIG", "SSL_CERT_FILE", "SSL_CERT_DIR",
        "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "REGISTRY_AUTH_FILE",
        "DOCKER_CONFIG", "SO_DATA_DIR",
    ]
    private static let harmlessBeginnings = ["XDG_", "LC_", "KUBERNETES_", "DBUS_", "CONTAINER", "SO_TEMPLATE_"]

    /// Sessions of an agent profile, on the runtime of the configuration.
    package func sessions(
        _ deployments: DeploymentService, profile: AgentProfile, configuration: Configuration
    ) -> SessionService {
        var service = SessionService(
            deployments, state: "\(configuration.stateDirectory)/workspaces",
            finder: ProfiledSessionParts(on(deployments), profile))
        service.spec.deployTo = DeploymentTarget(rawValue: configuration.runtime)
        service.spec.kubeConfig = configuration.kubeConfig.map { Located($0, at: Mark(file: configuration.file)) }
        service.spec.imageRegistry = configuration.imageRegistry
        return service
    }
}
