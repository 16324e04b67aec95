package import Compose
package import KubernetesObjects
import SystemCrypto
import YAML

/// A Secret whose values are filled in when it is written; it may be printed, its values are not in it.
package struct SecretTemplate: Hashable, Sendable {
    /// Where one entry's value comes from.
    package enum Value: Hashable, Sendable {
        /// Text with secrets in it, by name.
        case text(TemplateText)
        /// A file's content.
        case bytes([UInt8])
        /// A `.dockerconfigjson` for a registry.
        case registry(RegistryCredential)
    }

    package struct Entry: Hashable, Sendable {
        package var key: String
        package var value: Value

        package init(key: String, value: Value) {
            self.key = key
            self.value = value
        }
    }

    package var name: String
    package var namespace: String
    package var labels: StringMap
    package var annotations: StringMap = [:]
    /// `Opaque` or `kubernetes.io/dockerconfigjson`.
    package var type = "Opaque"
    package var entries: [Entry]

    package init(name: String, namespace: String, labels: StringMap, entries: [Entry]) {
        self.name = name
        self.namespace = namespace
        self.labels = labels
        self.entries = entries
    }
}

/// How to log in to a registry; the token is read where the Secret is written.
package struct RegistryCredential: Hashable, Sendable {
    package var server: String
    package var username: String
    /// The variable of the operator's environment that holds the token.
    package var tokenEnvironment: String?
    /// The file that holds the token.
    package var tokenFile: String?

    package init(server: String, username: String, tokenEnvironment: String? = nil, tokenFile: String? = nil) {
        self.server = server
        self.username = username
        self.tokenEnvironment = tokenEnvironment
        self.tokenFile = tokenFile
    }
}

/// Secrets without a value: the Secret cannot be written.
package struct MissingSecretValues: Error, Hashable, Sendable, CustomStringConvertible {
    /// The Secret that needs them.
    package var secret: String
    /// The names that have no value.
    package var names: [String]

    package var description: String {
        "the Secret \(secret) needs \(names.joined(separator: ", ")), which nothing provides"
    }
}

extension SecretTemplate {
    /// The entries with their values filled in.
    ///
    /// - Parameters:
    ///   - value: the value of a secret by name.
    ///   - token: the token of a registry's login.
    package func values(
        _ value: (String) -> String?, token: (RegistryCredential) -> String? = { _ in nil }
    ) throws(MissingSecretValues) -> [(key: String, bytes: [UInt8])] {
        var result: [(key: String, bytes: [UInt8])] = []
        var missing: [String] = []
        for entry in entries {
            switch entry.value {
            case .bytes(let bytes): result.append((entry.key, bytes))
            case .text(let text):
                if let resolved = text.resolved(value) {
                    result.append((entry.key, Array(resolved.utf8)))
                } else {
                    missing += text.secretNames.filter { value($0) == nil }
                }
            case .registry(let login):
                if let token = token(login) {
                    result.append((entry.key, Array(login.dockerConfig(token: token).utf8)))
                } else {
                    missing.append("the token of \(login.server)")
                }
            }
        }
        guard missing.isEmpty else { throw MissingSecretValues(secret: name, names: missing) }
        return result
    }

    /// The Secret itself, for the API only.
    package func resolved(
        _ value: (String) -> String?, token: (RegistryCredential) -> String? = { _ in nil }
    ) throws(MissingSecretValues) -> KubernetesObjects.Secret {
        var data: StringMap = [:]
        for (key, bytes) in try values(value, token: token) { data[key] = base64(bytes) }
        return KubernetesObjects.Secret(
            metadata: ObjectMeta(
                name: name, namespace: namespace, labels: labels, annotations: annotations.isEmpty ? nil : annotations),
            type: type, data: data)
    }
}

extension RegistryCredential {
    /// The content of `.dockerconfigjson`.
    fileprivate func dockerConfig(token: String) -> String {
        let login = base64(Array("\(username):\(token)".utf8))
        let entry = Node.map([
            ("username", .string(username)), ("password", .string(token)), ("auth", .string(login)),
        ])
        return Node.map([("auths", .map([(server, entry)]))]).json(pretty: false)
    }
}
