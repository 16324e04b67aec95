import Compose
import KubernetesObjects
import OrderedCollections
import Specs

extension Renderer {
    static let generatedSecrets = "generated-secrets"
    static let registrySecret = "registry-credentials"

    /// The Secret of all generated values, and the registry's login.
    mutating func addStackSecrets() {
        if !layered.generators.isEmpty {
            secrets[Self.generatedSecrets] = SecretTemplate(
                name: Self.generatedSecrets, namespace: options.namespace, labels: deploymentLabels,
                entries: layered.generators.keys.map {
                    SecretTemplate.Entry(key: Names.dataKey($0), value: .text(.secret($0)))
                })
        }
        guard let login = spec.imagePullSecret else { return }
        var template = SecretTemplate(
            name: Self.registrySecret, namespace: options.namespace, labels: deploymentLabels,
            entries: [
                SecretTemplate.Entry(
                    key: ".dockerconfigjson",
                    value: .registry(
                        RegistryCredential(
                            server: login.server, username: login.username, tokenEnvironment: login.tokenEnv,
                            tokenFile: login.tokenFile.map { spec.path($0, homeDirectory: options.homeDirectory) })))
            ])
        template.type = "kubernetes.io/dockerconfigjson"
        secrets[Self.registrySecret] = template
    }
}
