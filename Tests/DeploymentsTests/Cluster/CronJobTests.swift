import Deployments
import KubernetesClient
import KubernetesTestSupport
import Testing
import YAML

@testable import Runtimes

/// What the cluster starts by the clock.
@Suite struct CronJobTests {
    private let compose = """
        services:
          web: {image: "localhost/x:1", depends_on: [backup]}
          backup:
            image: localhost/x:1
            environment: {PASSWORD: "${PASSWORD}"}
            labels: {kompose.cronjob.schedule: "@daily"}
        """
    private let secret = "config:\n  PASSWORD: $generate:hex:16$\n"

    @Test func `a start makes it and does not wait for a run; a second one writes nothing; a change changes it`()
        async throws
    {
        try await withCluster { cluster in
            let store = cluster.server.store
            let handle = try cluster.handle(compose, spec: secret)
            #expect(try await handle.start().changed)
            #expect(await cluster.names("cronjobs") == ["backup"])
            let made = try #require(await store.object("cronjobs", "backup", namespace: "so-test"))
            #expect(
                made.template?.at("metadata", "annotations", ClusterNames.secrets)?.text?.contains("backup-env") == true
            )
            await store.forgetWrites()
            #expect(try await handle.start().changed == false)
            #expect(await store.writes == [])
            var again = StartOptions()
            again.replacesAll = true
            #expect(try await handle.plan(again).items.filter { $0.action != .keep }.map(\.name) == ["web"])

            let changed = try cluster.handle(compose.replacing("@daily", with: "@hourly"), spec: secret)
            #expect(try await changed.plan().items.filter { $0.action != .keep }.map(\.name) == ["backup"])
            try await changed.start()
            let now = await store.object("cronjobs", "backup", namespace: "so-test")
            #expect(now?.spec?["schedule"]?.text == "@hourly")
            try await changed.stop()
            #expect(await cluster.names("cronjobs") == [])
        }
    }

    @Test func `status says that it is scheduled, what runs, and how the last run failed`() async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            let handle = try cluster.handle(compose, spec: secret)
            func row() async throws -> PodStatus? { try await handle.ps().first { $0.service == "backup" } }
            #expect(try await row()?.state == .absent)
            try await handle.start()
            let waiting = try #require(try await row())
            #expect(waiting.state == .scheduled && waiting.isReady)
            func pod(_ name: String, _ phase: String, _ state: Node) -> Node {
                .map([
                    ("apiVersion", .string("v1")), ("kind", .string("Pod")),
                    (
                        "metadata",
                        .map([
                            ("name", .string(name)), ("namespace", .string("so-test")),
                            (
                                "labels",
                                .map([
                                    ("app.kubernetes.io/instance", .string("test-1")),
                                    ("app.kubernetes.io/name", .string("backup")),
                                ])
                            ),
                        ])
                    ),
                    (
                        "status",
                        .map([
                            ("phase", .string(phase)),
                            (
                                "containerStatuses",
                                .list([.map([("name", .string("backup")), ("state", state)])])
                            ),
                        ])
                    ),
                ])
            }
            await store.put(
                "pods", pod("backup-1-a", "Failed", .map([("terminated", .map([("exitCode", .plain("3"))]))])))
            let failed = try #require(try await row())
            #expect(failed.state == .scheduled && failed.health == "its last run failed with exit code 3")
            await store.put("pods", pod("backup-2-a", "Running", .map([("running", .map([]))])))
            let running = try #require(try await row())
            #expect(running.state == .running && running.pod == "backup-2-a")
        }
    }

    @Test func `it is no job of the stack, and what runs it now is told`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(compose, spec: secret)
            try await handle.start()
            let error = await #expect(throws: DeploymentError.self) { try await handle.runJob("backup") }
            #expect(error?.hint == "kubectl -n so-test create job --from=cronjob/backup backup-now")
        }
    }
}
