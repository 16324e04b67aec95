extension PodmanRuntime {
    package func secrets(_ deployment: DeploymentModel) async throws(DeploymentError) -> [SecretListing] {
        try SecretStore(file: deployment.secretsFile).listing(
            generators: deployment.generators, credentials: deployment.credentials)
    }

    package func rotateSecret(_ deployment: DeploymentModel, name: String) async throws(DeploymentError) {
        try SecretStore(file: deployment.secretsFile).rotate(name, generators: deployment.generators)
    }

    package func importSecrets(
        _ deployment: DeploymentModel, _ values: [String: String], replaces: Bool
    ) async throws(DeploymentError) -> [String] {
        try SecretStore(file: deployment.secretsFile).take(
            values, generators: deployment.generators, replaces: replaces)
    }
}
