import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Names of the Secrets that a stack has beside those of its services.
enum StackSecretNames {
    static let generated = "generated-secrets"
    static let registry = "registry-credentials"
}

extension StorageStage {
    /// The Secret of all generated values, and the registry's login.
    mutating func addStackSecrets() {
        if !layered.generators.isEmpty {
            secrets[StackSecretNames.generated] = SecretTemplate(
                name: StackSecretNames.generated, namespace: options.namespace, labels: deploymentLabels,
                entries: layered.generators.keys.map {
                    SecretTemplate.Entry(key: Names.dataKey($0), value: .text(.secret($0)))
                })
        }
        guard let login = spec.imagePullSecret else { return }
        var template = SecretTemplate(
            name: StackSecretNames.registry, namespace: options.namespace, labels: deploymentLabels,
            entries: [
                SecretTemplate.Entry(
                    key: ".dockerconfigjson",
                    value: .registry(
                        RegistryCredential(
                            server: login.server, username: login.username, tokenEnvironment: login.tokenEnv,
                            tokenFile: login.tokenFile.map { spec.path($0, homeDirectory: options.homeDirectory) })))
            ])
        template.type = "kubernetes.io/dockerconfigjson"
        secrets[StackSecretNames.registry] = template
    }
}
