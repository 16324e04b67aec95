import KubernetesClient

extension Configuration {
    /// The backend that keeps credentials.
    ///
    /// - Parameter environment: may hold the file backend's keys in `SO_CREDENTIALS_KEY`, and lead to the cluster.
    package func openCredentials(environment: [String: String]) async throws -> any CredentialBackend {
        switch credentials.backend {
        case .file:
            let keys =
                environment["SO_CREDENTIALS_KEY"].map { SealingKeys.Source.text($0) } ?? .file(credentials.keyFile)
            return try FileCredentials(directory: credentials.directory, keys: keys)
        case .vault:
            return VaultCredentials(
                address: credentials.address ?? "", mount: credentials.mount, path: credentials.path,
                authentication: try vaultAuthentication())
        case .kubernetes:
            let access = try ClusterAccess.resolve(file: kubeConfig, environment: environment)
            return KubernetesCredentials(
                try await KubernetesClient(access), namespace: credentials.namespace ?? access.namespace ?? "default",
                secret: credentials.secret)
        }
    }

    private func vaultAuthentication() throws -> VaultAuthentication {
        if let role = credentials.roleID {
            return .appRole(roleID: role, secretIDFile: credentials.secretIDFile ?? "")
        }
        if let role = credentials.kubernetesRole { return .kubernetes(role: role) }
        return .token(try secret(credentials.tokenFile ?? "", "credentials.token-file"))
    }
}
