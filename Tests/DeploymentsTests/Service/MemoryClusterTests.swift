import Deployments
import FoundationEssentials
import KubernetesObjects
import Rendering
import Runtimes
import Specs
import TestSupport
import Testing

/// On clusters, a deployment from memory is rendered as one in a directory is.
@Suite(.pods) struct MemoryClusterTests {
    private func container(_ deployment: OpenDeployment) throws -> Container {
        let pods = deployment.model.rendered.objects.compactMap { object -> PodSpec? in
            if case .deployment(let own) = object { own.spec.template.spec } else { nil }
        }
        return try #require(pods.first?.containers.first)
    }

    @Test func `users are the numbers that images know, and pushed images are named by where they are`() async throws {
        let token = randomToken()
        try await withTemporaryDirectory { directory in
            let image = try await TestSupport.Podman.imageWithUser(token, in: directory)
            let service = DeploymentService(DeploymentHost(environment: TestSupport.Podman.environment))
            var definition = DeploymentDefinition(
                id: "unit-\(token)", name: "unit-\(token)", owner: "the test",
                compose: "services: {one: {image: \"\(image)\", user: web}}", stateDirectory: directory + "/state")
            definition.spec.deployTo = .kubernetes
            let pushed = "registry.example.com/one@sha256:\(String(repeating: "a", count: 64))"
            definition.images = [image: pushed]
            #expect(throws: (any Error).self) { try service.read(definition) }
            let container = try container(try await service.open(definition))
            #expect(container.securityContext?.runAsUser == 1234)
            #expect(container.image == pushed)
            _ = try await TestSupport.Podman.lines("rmi", image)
            // What was found is kept: the image is not needed any more.
            #expect(try self.container(try service.read(definition)).securityContext?.runAsUser == 1234)
        }
    }
}
