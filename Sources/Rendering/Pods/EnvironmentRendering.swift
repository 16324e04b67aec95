import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

extension PodStage {
    /// Plain values to env; what a secret flows into to the Secret `<service>-env`; the spec's Secrets as a whole.
    mutating func addEnvironment(_ workload: ServiceWorkload, to container: inout Container) {
        var variables: [EnvVar] = []
        variables.reserveCapacity(workload.service.environment.count)
        for (name, value) in workload.service.environment {
            guard isVariableName(name, isSecret: value.text.isSecret) else {
                refuse(
                    workload, "environment", at: value.mark, "`\(name)` cannot be a variable's name in Kubernetes",
                    hint: "rename it: letters, digits, `_`, `-` and `.`")
                continue
            }
            if context.keysOfSpecSecrets.contains(name) {
                noteShadowed(name, value, workload)
            } else if value.text.isSecret {
                addSecretEntry(name, .text(value.text), workload)
            } else {
                variables.append(EnvVar(name: name, value: escapingReferences(value.text.masked)))
            }
        }
        container.env = variables.isEmpty ? nil : variables
        var sources = spec.secrets.keys.map { EnvFromSource(secret: $0) }
        if storage.secrets[environmentSecret(workload)] != nil {
            sources.append(EnvFromSource(secret: environmentSecret(workload)))
        }
        container.envFrom = sources.isEmpty ? nil : sources
    }

    /// The Secret of the spec's `secrets` brings the variable: a value of the files must not stand before it.
    private mutating func noteShadowed(_ name: String, _ value: EnvironmentValue, _ workload: ServiceWorkload) {
        guard value.layer >= .hostEnvironment else { return }
        reports.warning(
            "service \(workload.service.name): \(name) comes from a Secret of the spec's `secrets`, not from the \(value.layer.rawValue)",
            at: value.mark, hint: "remove one of the two")
    }

    mutating func addSecretEntry(_ key: String, _ value: SecretTemplate.Value, _ workload: ServiceWorkload) {
        let name = environmentSecret(workload)
        var template =
            storage.secrets[name]
            ?? SecretTemplate(
                name: name, namespace: options.namespace, labels: labels(workload.name, component: workload.component),
                entries: [])
        if !template.entries.contains(where: { $0.key == key }) {
            template.entries.append(SecretTemplate.Entry(key: key, value: value))
        }
        storage.secrets[name] = template
    }

    /// Rule: IsRelaxedEnvVarName of Kubernetes, which all versions from 1.34 on follow: what can be printed and is no `=`. A
    /// secret value's name is the key of a Secret. Podman takes what the kernel does.
    private func isVariableName(_ name: String, isSecret: Bool) -> Bool {
        if isSecret { return Names.isDataKey(name) }
        let takesAll = can(.anyNames)
        return !name.isEmpty
            && name.utf8.allSatisfy { $0 != UInt8(ascii: "=") && (takesAll ? $0 != 0 : $0 >= 32 && $0 <= 126) }
    }
}
