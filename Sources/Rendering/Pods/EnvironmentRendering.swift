import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Renders a service's environment: plain values as variables, what a secret flows into as keys of the Secret `<service>-env`.
struct EnvironmentStep: StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var shared = SharedDraft()
    var reports = ReportCollector()

    /// Plain values to env; what a secret flows into to the Secret `<service>-env`; the spec's Secrets as a whole.
    mutating func run() -> ContainerEnvironment {
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
                noteShadowed(name, value)
            } else if value.text.isSecret {
                addSecretEntry(name, .text(value.text), workload)
            } else {
                variables.append(EnvVar(name: name, value: escapingReferences(value.text.masked)))
            }
        }
        var sources = spec.secrets.keys.map { EnvFromSource(secret: $0) }
        if shared.storage.secrets[environmentSecret(workload)] != nil {
            sources.append(EnvFromSource(secret: environmentSecret(workload)))
        }
        return ContainerEnvironment(
            variables: variables.isEmpty ? nil : variables, sources: sources.isEmpty ? nil : sources)
    }

    /// The Secret of the spec's `secrets` brings the variable: a value of the files must not stand before it.
    private mutating func noteShadowed(_ name: String, _ value: EnvironmentValue) {
        guard value.layer >= .hostEnvironment else { return }
        reports.warning(
            "service \(workload.service.name): \(name) comes from a Secret of the spec's `secrets`, not from the \(value.layer.rawValue)",
            at: value.mark, hint: "remove one of the two")
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

/// The variables of a container.
struct ContainerEnvironment: Hashable {
    var variables: [EnvVar]?
    var sources: [EnvFromSource]?
}

extension StoringStep {
    /// Adds a variable to the Secret of a service's own secret values.
    mutating func addSecretEntry(_ key: String, _ value: SecretTemplate.Value, _ workload: ServiceWorkload) {
        let name = environmentSecret(workload)
        var template =
            shared.storage.secrets[name]
            ?? SecretTemplate(
                name: name, namespace: options.namespace, labels: labels(workload.name, component: workload.component),
                entries: [])
        if !template.entries.contains(where: { $0.key == key }) {
            template.entries.append(SecretTemplate.Entry(key: key, value: value))
        }
        shared.storage.secrets[name] = template
    }
}
