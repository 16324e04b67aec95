package import Compose
package import KubernetesObjects

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
    package var labels: StringMap<String>
    /// `Opaque` or `kubernetes.io/dockerconfigjson`.
    package var type = "Opaque"
    package var entries: [Entry]

    package init(name: String, namespace: String, labels: StringMap<String>, entries: [Entry]) {
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
