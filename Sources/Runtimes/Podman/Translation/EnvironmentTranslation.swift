import KubernetesObjects
import SystemCrypto
import YAML

/// A container's variables, resolved: podman 4.3 refuses a Secret in envFrom.
struct ResolvedEnvironment {
    var names: [String] = []
    var values: [String: VariableText] = [:]
    /// Variables that podman takes from its own store.
    var stored: [PodmanSecret] = []

    mutating func set(_ name: String, _ value: VariableText) {
        if values[name] == nil { names.append(name) }
        values[name] = value
    }
}

extension PodTranslator {
    /// Sources first, then single variables, which override them: as Kubernetes does.
    mutating func environment(_ container: Container, _ service: String) -> ResolvedEnvironment {
        var result = ResolvedEnvironment()
        for source in container.envFrom ?? [] { add(source, to: &result, service) }
        for variable in container.env ?? [] { add(variable, to: &result, service) }
        return result
    }

    private mutating func add(_ source: EnvFromSource, to result: inout ResolvedEnvironment, _ service: String) {
        let prefix = source.prefix ?? ""
        if let reference = source.configMapRef {
            guard let content = index.content(ofConfigMap: reference.name) else {
                return missing("ConfigMap", reference.name, optional: reference.optional, service)
            }
            for (key, bytes) in content.sorted(by: { $0.key < $1.key }) {
                result.set(prefix + key, .plain(String(decoding: bytes, as: UTF8.self)))
            }
        }
        guard let reference = source.secretRef else { return }
        if let content = secrets[reference.name] {
            for (key, bytes) in content.sorted(by: { $0.key < $1.key }) {
                result.set(prefix + key, .secret(String(decoding: bytes, as: UTF8.self)))
            }
            return
        }
        let stored = storedSecrets.filter { $0.hasPrefix(reference.name + ".") }
        if stored.isEmpty { missing("Secret", reference.name, optional: reference.optional, service) }
        result.stored += stored.map { name in
            let variable = prefix + name.dropFirst(reference.name.count + 1)
            return PodmanSecret(name: name, value: nil, use: .variable(variable))
        }
    }

    private mutating func add(_ variable: EnvVar, to result: inout ResolvedEnvironment, _ service: String) {
        if let reference = variable.valueFrom?.secretKeyRef {
            if let bytes = secrets[reference.name]?[reference.key] {
                result.set(variable.name, .secret(String(decoding: bytes, as: UTF8.self)))
            } else if storedSecrets.contains("\(reference.name).\(reference.key)") {
                let name = "\(reference.name).\(reference.key)"
                result.stored.append(PodmanSecret(name: name, value: nil, use: .variable(variable.name)))
            } else {
                missing("Secret", "\(reference.name).\(reference.key)", optional: reference.optional, service)
            }
        } else if let reference = variable.valueFrom?.configMapKeyRef {
            guard let bytes = index.content(ofConfigMap: reference.name)?[reference.key] else {
                return missing("ConfigMap", "\(reference.name).\(reference.key)", optional: reference.optional, service)
            }
            result.set(variable.name, .plain(String(decoding: bytes, as: UTF8.self)))
        } else {
            let known = result.values
            let word = expand(variable.value ?? "") { known[$0] }
            let texts = word.pieces.map { piece in
                switch piece {
                case .text(let text): text
                case .secret(let name): known[name]?.text ?? ""
                }
            }
            result.set(variable.name, word.literal == nil ? .secret(texts.joined()) : .plain(texts.joined()))
        }
    }

    mutating func missing(_ kind: String, _ name: String, optional: Bool?, _ service: String) {
        guard optional != true else { return }
        guard kind == "Secret" else {
            return failures.append(
                ServiceFailure(service, .missingReference, "the \(kind) \(name) is not part of the deployment"))
        }
        let object = name.contains(".") ? name : "\(name).KEY"
        failures.append(
            ServiceFailure(
                service, .missingReference, "the Secret \(name) does not exist on this host",
                hint: "create it, one object per key: printf %s VALUE | podman secret create \(object) -"))
    }
}

/// Podman 4.3 takes the carriage return away from each CRLF in a variable, but not in one that comes from its store.
func isAlteredByPodman(_ value: String) -> Bool { value.utf8.contains(UInt8(ascii: "\r")) }
