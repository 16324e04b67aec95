import Deployments
import FoundationEssentials
import KubernetesClient
import KubernetesTestSupport
import OrderedCollections
import Runtimes
import Specs
import TestSupport
import Testing
import YAML

/// On a cluster, a deployment from memory is all that one in a directory is: its state is its own, its identity stays.
@Suite struct MemoryAPITests {
    private func definition(_ directory: String, _ server: TestAPIServer) -> DeploymentDefinition {
        var definition = DeploymentDefinition(
            id: "unit-1", name: "unit-1", owner: "the test",
            compose: """
                services:
                  one:
                    image: localhost/one:1
                    environment: {TOKEN: "${TOKEN}", MADE: "${MADE}"}
                    ports: ["8080:80"]
                    volumes: ["data:/data"]
                volumes: {data: {}}
                """, stateDirectory: directory + "/state")
        definition.spec.deployTo = .kubernetes
        definition.spec.config = ["MADE": Located("$generate:hex:16$")]
        definition.kubeconfig = server.kubeconfig
        definition.secrets = ["TOKEN": "a-secret-value-4711"]
        definition.images = ["localhost/one:1": "registry.example.com/one:1"]
        definition.keeper = "the-keeper"
        return definition
    }

    @Test func `it starts, is known by another process, and is stopped by whoever knows its name`() async throws {
        try await withAPIServer { server in
            try await withTemporaryDirectory { directory in
                let definition = definition(directory, server)
                let service = DeploymentService(DeploymentHost(environment: [:]))
                let deployment = try await service.open(definition)
                let namespace = deployment.model.namespace
                #expect(try await deployment.start().changed)
                #expect(await server.store.names("deployments", namespace: namespace) == ["one"])
                let pod = await server.store.object("deployments", "one", namespace: namespace)
                #expect(pod?.node.json().contains("registry.example.com/one:1") == true)
                #expect(await server.store.names("secrets", namespace: namespace).contains("one-env"))
                #expect(try files(below: directory, holding: "4711") == [])

                let other = DeploymentService(DeploymentHost(environment: [:]))
                #expect(try await other.open(definition).plan().isEmpty)
                let kept = try await deployment.handle.runtime.kept(by: "the-keeper")
                #expect(kept == [KeptDeployment(id: "unit-1", owner: "the test", volumes: ["\(namespace)/data"])])

                // Another one of the same owner is another one.
                var foreign = definition
                (foreign.id, foreign.stateDirectory) = ("unit-2", directory + "/state2")
                let deploymentOfOther = try await other.open(foreign)
                let error = await #expect(throws: DeploymentError.self) { try await deploymentOfOther.start() }
                #expect(error?.code == .notPermitted && error?.message.contains("unit-1 in the test on ") == true)

                var bare = definition
                bare.content = .nothing
                var options = StopOptions()
                (options.deleteVolumes, options.deleteNamespace) = (true, true)
                try await other.read(bare).stop(options)
                #expect(await server.store.names("namespaces", namespace: "").contains(namespace) == false)
            }
        }
    }

    @Test func `two starts of one deployment make one set of secrets`() async throws {
        try await withAPIServer { server in
            try await withTemporaryDirectory { directory in
                let definition = definition(directory, server)
                let results = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 1...5 {
                        group.addTask {
                            let service = DeploymentService(DeploymentHost(environment: [:]))
                            return try await service.open(definition).start().changed
                        }
                    }
                    return try await group.reduce(into: [Bool]()) { $0.append($1) }
                }
                #expect(results.count { $0 } == 1)
            }
        }
    }
}
