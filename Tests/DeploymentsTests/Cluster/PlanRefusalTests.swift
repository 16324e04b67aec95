import KubernetesTestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// A plan is no promise that a start breaks: what a start refuses, a plan refuses in the same words.
@Suite struct PlanRefusalTests {
    private let stack = "services: {web: {image: localhost/x:1, expose: [\"80\"]}}\n"

    private func expectBothRefuse(_ handle: DeploymentHandle, _ code: DeploymentError.Code) async {
        let planned = await failure { _ = try await handle.plan() }
        let started = await failure { _ = try await handle.start() }
        #expect(started?.code == code, "\(String(describing: started))")
        #expect(planned?.description == started?.description)
    }

    @Test func `an object that somebody else made`() async throws {
        try await withCluster { cluster in
            for (kind, more) in [("Namespace", []), ("Service", [("namespace", Node.string("so-test"))])] {
                let name = kind == "Namespace" ? "so-test" : "web"
                await cluster.server.store.put(
                    kind == "Namespace" ? "namespaces" : "services",
                    .map([
                        ("kind", .string(kind)), ("apiVersion", .string("v1")),
                        ("metadata", .map([("name", .string(name))] + more)),
                    ]))
            }
            await expectBothRefuse(try cluster.handle(stack), .notPermitted)
        }
    }

    @Test func `a namespace of another deployment`() async throws {
        try await withCluster { cluster in
            try await cluster.handle(stack).start()
            let stranger = ClusterFixture(server: cluster.server, directory: "/elsewhere", id: "test-2")
            await expectBothRefuse(try stranger.handle(stack), .notPermitted)
        }
    }

    @Test func `a Secret that must exist already`() async throws {
        try await withCluster { cluster in
            await expectBothRefuse(try cluster.handle(stack, spec: "secrets: {given: [TOKEN]}\n"), .failed)
        }
    }

    @Test func `an object that the cluster would not make`() async throws {
        try await withCluster { cluster in
            await cluster.server.store.put(
                "namespaces",
                .map([
                    ("kind", .string("Namespace")), ("apiVersion", .string("v1")),
                    ("metadata", .map([("name", .string("so-test"))])),
                ]))
            await cluster.server.store.refuse("services", "web", "exceeded quota: services=0")
            await expectBothRefuse(try cluster.handle(stack), .cannotCreate)
            #expect(await cluster.names("deployments") == [], "nothing was made")
        }
    }

    @Test func `a namespace that does not exist yet is said to be why the cluster was not asked`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(stack)
            let before = try await handle.plan().summary.unchecked
            #expect(before?.contains("the namespace so-test does not exist yet") ?? false)
            try await handle.start()
            #expect(try await handle.plan().summary.unchecked == nil)
        }
    }
}
