import KubernetesClient
import KubernetesTestSupport
import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// What is being deleted while a start begins, and what is deleted while it goes on.
@Suite struct DeletionTests {
    private let stack = """
        services:
          web:
            image: localhost/x:1
            environment: {PASSWORD: "${PASSWORD}"}
            expose: ["80"]
            volumes: ["data:/data"]
            configs: [page]
          task:
            image: localhost/x:1
            restart: "no"
        configs: {page: {content: hello}}
        volumes: {data: }
        """
    private let spec = """
        config: {PASSWORD: $generate:hex:16$}
        volumes: {data: /srv/data}
        network:
          http-proxy: [{host-name: a.example, routes: [{path: /, proxy-to: "web:80"}]}]

        """

    /// A deployment that never becomes ready by itself.
    private static func pending(_ object: LiveObject) -> Node? {
        object.kind == "Deployment"
            ? .map([("observedGeneration", .plain("\(object.generation)"))]) : TestAPIStore.ready(object)
    }

    @Test(arguments: [
        ("deployments", "web"), ("jobs", "task"), ("services", "web"), ("configmaps", ""), ("secrets", "web-env"),
        ("persistentvolumeclaims", "data"), ("persistentvolumes", "so-test-data"), ("ingresses", ""),
    ])
    func `what a killed stop was deleting is waited for and then made`(resource: String, named: String) async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            let handle = try cluster.handle(stack, spec: spec)
            try await handle.start()
            let namespace = resource == "persistentvolumes" ? "" : "so-test"
            let names = await store.names(resource, namespace: namespace).filter { !$0.hasPrefix("so-inventory") }
            let name = named.isEmpty ? try #require(names.first) : named
            let before = try #require(await store.object(resource, name, namespace: namespace)).uid
            await store.beginDeletion(resource, name, namespace: namespace)
            let lines = Runtimes.Lines()
            async let started = handle.start(StartOptions()) { lines.add("\($0.phase)") }
            try await eventually("the start waits") { lines.all.contains { $0.contains("/\(name) to be gone") } }
            await store.finishDeletion(resource, name, namespace: namespace)
            #expect(try await started.changed)
            let after = try #require(await store.object(resource, name, namespace: namespace))
            #expect(after.uid != before)
            #expect(!after.isTerminating)
        }
    }

    @Test func `what a keeper has in a cluster is found by its labels, with its claims`() async throws {
        try await withCluster { cluster in
            let plain = try cluster.handle(stack, spec: spec)
            var other = cluster
            (other.id, other.namespace) = ("s-kept0001", "so-s-kept0001")
            var model = try other.handle(stack, spec: "config: {PASSWORD: x}\n").model
            model.keeper = "0123456789abcdef"
            let kept = DeploymentHandle(model, runtime: cluster.runtime)
            try await plain.start()
            try await kept.start()
            #expect(try await cluster.runtime.kept(by: "fedcba9876543210") == [])
            let expected = KeptDeployment(
                id: "s-kept0001", owner: cluster.directory, volumes: ["so-s-kept0001/data"])
            #expect(try await cluster.runtime.kept(by: "0123456789abcdef") == [expected])
            // A start that goes on keeps the label.
            try await kept.start()
            #expect(try await cluster.runtime.kept(by: "0123456789abcdef") == [expected])
            await cluster.server.store.beginDeletion("namespaces", "so-s-kept0001")
            #expect(try await cluster.runtime.kept(by: "0123456789abcdef") == [])
        }
    }

    @Test(arguments: [("deployments", "web"), ("services", "web"), ("secrets", "web-env"), ("configmaps", "")])
    func `what vanishes while a start waits is made again`(resource: String, named: String) async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            await store.setController { Self.pending($0) }
            let handle = try cluster.handle(stack, spec: spec)
            async let started = handle.start()
            try await eventually("the workload is applied") {
                await store.object("deployments", "web", namespace: "so-test") != nil
            }
            let names = await cluster.names(resource).filter { !$0.hasPrefix("so-inventory") }
            let name = named.isEmpty ? try #require(names.first) : named
            await store.finishDeletion(resource, name, namespace: "so-test")
            await store.setController { TestAPIStore.ready($0) }
            if resource != "deployments" {
                let web = try #require(await store.object("deployments", "web", namespace: "so-test"))
                await store.put("deployments", web.node, by: "controller")
            }
            _ = try await started
            #expect(await store.object(resource, name, namespace: "so-test") != nil)
        }
    }

    @Test func `a namespace that goes while a start is under way is made again with all that it holds`() async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            await store.setController { Self.pending($0) }
            let handle = try cluster.handle(stack, spec: spec)
            async let started = handle.start()
            try await eventually("the workload is applied") {
                await store.object("deployments", "web", namespace: "so-test") != nil
            }
            await store.beginDeletion("namespaces", "so-test")
            await store.finishDeletion("deployments", "web", namespace: "so-test")
            await store.setController { TestAPIStore.ready($0) }
            await store.finishDeletion("namespaces", "so-test")
            _ = try await started
            #expect(await cluster.names("deployments") == ["web"])
        }
    }

    @Test func `a stop that was killed is finished by the next one`() async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            let handle = try cluster.handle(stack, spec: spec)
            try await handle.start()
            await store.beginDeletion("namespaces", "so-test")
            async let stopped: Void = handle.stop(StopOptions())
            await store.finishDeletion("namespaces", "so-test")
            try await stopped
            #expect(await cluster.names("deployments") == [])
        }
    }
}

/// What a body fails with, for one that runs beside the test.
func failure(of body: @Sendable () async throws -> Void) async -> DeploymentError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DeploymentError
    }
}
