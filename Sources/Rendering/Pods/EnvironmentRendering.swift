import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

extension Renderer {
    /// Plain values to env; what a secret flows into to the Secret `<service>-env`; the spec's Secrets as a whole.
    mutating func addEnvironment(_ unit: ServiceWorkload, to container: inout Container) {
        var variables: [EnvVar] = []
        variables.reserveCapacity(unit.service.environment.count)
        for (name, value) in unit.service.environment {
            guard isVariableName(name, isSecret: value.text.isSecret) else {
                refuse(
                    unit, "environment", at: value.mark, "`\(name)` cannot be a variable's name in Kubernetes",
                    hint: "rename it: letters, digits, `_`, `-` and `.`")
                continue
            }
            if keysOfSpecSecrets.contains(name) {
                noteShadowed(name, value, unit)
            } else if value.text.isSecret {
                addSecretEntry(name, .text(value.text), unit)
            } else {
                variables.append(EnvVar(name: name, value: escapingReferences(value.text.masked)))
            }
        }
        container.env = variables.isEmpty ? nil : variables
        var sources = spec.secrets.keys.map { EnvFromSource(secret: $0) }
        if secrets[environmentSecret(unit)] != nil { sources.append(EnvFromSource(secret: environmentSecret(unit))) }
        container.envFrom = sources.isEmpty ? nil : sources
    }

    /// The Secret of the spec's `secrets` brings the variable: a value of the files must not stand before it.
    private mutating func noteShadowed(_ name: String, _ value: EnvironmentValue, _ unit: ServiceWorkload) {
        guard value.layer >= .hostEnvironment else { return }
        diagnostics.warning(
            "service \(unit.service.name): \(name) comes from a Secret of the spec's `secrets`, not from the \(value.layer.rawValue)",
            at: value.mark, hint: "remove one of the two")
    }

    /// Names the Secret of a service's own secret values.
    func environmentSecret(_ unit: ServiceWorkload) -> String {
        "\(unit.job == nil ? unit.name : jobName(unit))-env"
    }

    mutating func addSecretEntry(_ key: String, _ value: SecretTemplate.Value, _ unit: ServiceWorkload) {
        let name = environmentSecret(unit)
        var template =
            secrets[name]
            ?? SecretTemplate(
                name: name, namespace: options.namespace, labels: labels(unit.name, component: unit.component),
                entries: [])
        if !template.entries.contains(where: { $0.key == key }) {
            template.entries.append(SecretTemplate.Entry(key: key, value: value))
        }
        secrets[name] = template
    }

    /// Rule: IsRelaxedEnvVarName of Kubernetes, which all versions from 1.34 on follow: what can be printed and is no `=`. A
    /// secret value's name is the key of a Secret. Podman takes what the kernel does.
    private func isVariableName(_ name: String, isSecret: Bool) -> Bool {
        if isSecret { return Names.isDataKey(name) }
        let takesAll = options.can(.anyNames)
        return !name.isEmpty
            && name.utf8.allSatisfy { $0 != UInt8(ascii: "=") && (takesAll ? $0 != 0 : $0 >= 32 && $0 <= 126) }
    }
}
