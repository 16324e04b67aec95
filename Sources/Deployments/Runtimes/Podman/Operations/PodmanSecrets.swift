extension PodmanRuntime {
    package func secrets(_ deployment: DeploymentModel) async throws(DeploymentError) -> [SecretListing] {
        try SecretStore(file: deployment.secretsFile).listing(
            generators: deployment.generators, credentials: deployment.credentials)
    }

    package func rotateSecret(_ deployment: DeploymentModel, name: String) async throws(DeploymentError) {
        try SecretStore(file: deployment.secretsFile).rotate(name, generators: deployment.generators)
    }
}
