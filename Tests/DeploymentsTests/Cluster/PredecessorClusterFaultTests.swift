import KubernetesClient
import KubernetesTestSupport
import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// Faults of the predecessor on clusters, by their number in its inventory: here each is done right.
@Suite struct PredecessorClusterFaultTests {
    private let compose = """
        services:
          db:
            image: localhost/x:1
            environment: {PASSWORD: "${PASSWORD}", VALUE: "${VALUE:-none}"}
            volumes: ["data:/data"]
        volumes:
          data:
        """
    private let spec = "config:\n  PASSWORD: $generate:hex:16$\nvolumes:\n  data: /srv/data\n"

    private func handle(_ cluster: ClusterFixture, _ more: String = "") throws -> DeploymentHandle {
        try cluster.handle(compose, spec: spec + more)
    }

    @Test func `a secret is read under the name that it is written under, and pods insist on it`()
        async throws
    {
        try await withCluster { cluster in
            try await handle(cluster).start()
            let pod = await cluster.server.store.object("deployments", "db", namespace: "so-test")?.node
                .at("spec", "template", "spec", "containers")?.sequence?.first
            let sources = pod?["envFrom"]?.sequence ?? []
            let names = sources.compactMap { $0.at("secretRef", "name")?.text }
            #expect(names == ["db-env"])
            #expect(sources.allSatisfy { $0.at("secretRef", "optional")?.boolValue != true })
            let secret = await cluster.server.store.object("secrets", "db-env", namespace: "so-test")
            #expect(secret?.node.at("data", "PASSWORD") != nil)
        }
    }

    @Test func `secrets are written into the deployment's own namespace, after it exists`() async throws {
        try await withCluster { cluster in
            try await handle(cluster).start()
            let writes = await cluster.server.store.writes
            let space = try #require(writes.firstIndex { $0.contains("namespaces") && !$0.contains("secrets") })
            let secret = try #require(writes.firstIndex { $0.contains("secrets") })
            #expect(space < secret, "\(writes)")
            #expect(await cluster.server.store.names("secrets", namespace: "default") == [])
        }
    }

    @Test func `deleting volumes and the namespace of one deployment leaves another one of the same stack`()
        async throws
    {
        try await withCluster { cluster in
            try await handle(cluster).start()
            var second = ClusterFixture(server: cluster.server, directory: cluster.directory + "-2")
            second.id = "test-2"
            second.namespace = "so-other"
            try await handle(second).start()
            var options = StopOptions()
            options.deleteVolumes = true
            options.deleteNamespace = true
            try await handle(cluster).stop(options)
            #expect(await cluster.server.store.object("namespaces", "so-test") == nil)
            #expect(await cluster.server.store.object("persistentvolumes", "so-test-data") == nil)
            #expect(await second.names("deployments") == ["db"])
            #expect(await second.names("secrets") == ["db-env", "generated-secrets"])
            #expect(await cluster.server.store.object("persistentvolumes", "so-other-data") != nil)
        }
    }

    @Test func `a changed value rolls the pods, and what is no longer wanted is pruned`() async throws {
        try await withCluster { cluster in
            try await handle(cluster).start()
            let before = await cluster.server.store.object("deployments", "db", namespace: "so-test")?.node
            let changed = try cluster.handle(
                "services: {db: {image: 'localhost/x:1', environment: {VALUE: two}}}\n", spec: "")
            try await changed.start()
            let after = await cluster.server.store.object("deployments", "db", namespace: "so-test")?.node
            #expect(before?.at("spec", "template") != after?.at("spec", "template"))
            #expect(await cluster.names("secrets") == ["generated-secrets"], "values that data may need stay")
            #expect(await cluster.names("persistentvolumeclaims") == ["data"], "data stays")
        }
    }
}
