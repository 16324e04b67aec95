import KubernetesClient
import KubernetesTestSupport
import Rendering
import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// Starts and stops on a cluster, as its API sees them.
@Suite struct ClusterStartTests {
    private let two = """
        services:
          db:
            image: localhost/x:1
            environment: {PASSWORD: "${PASSWORD}"}
            expose: ["5432"]
            volumes: ["data:/data"]
          web:
            image: localhost/x:1
            depends_on: [db]
        volumes:
          data:
        """
    private let secret = "config:\n  PASSWORD: $generate:hex:16$\nvolumes:\n  data: /srv/data\n"

    @Test func `a start makes everything and writes down what it made; a second one writes nothing`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(two, spec: secret)
            #expect(try await handle.start().changed)
            #expect(await cluster.names("deployments") == ["db", "web"])
            #expect(await cluster.names("secrets") == ["db-env", "generated-secrets"])
            let inventory = await cluster.server.store.object("configmaps", "so-inventory-test-1", namespace: "so-test")
            let listed = inventory?.node["data"]?["objects"]?.text ?? ""
            for line in ["apps/v1 Deployment web", "v1 Secret generated-secrets", "v1 PersistentVolume so-test-data"] {
                #expect(listed.contains(line), "\(listed)")
            }
            await cluster.server.store.forgetWrites()
            #expect(try await handle.start().changed == false)
            #expect(await cluster.server.store.writes == [])
            #expect(try await handle.plan().isEmpty)
        }
    }

    @Test(arguments: ["ImagePullBackOff", "ErrImagePull", "CreateContainerConfigError"])
    func `a pod that an earlier start has left waiting is made again, and not taken for this start's failure`(
        reason: String
    ) async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            let handle = try cluster.handle("services:\n  web:\n    image: localhost/x:1\n")
            try await handle.start()
            // Only what the cluster makes of the new pod makes the workload ready.
            await store.setController { object in
                object.kind == "Deployment"
                    ? .map([("observedGeneration", .plain("\(object.generation)")), ("replicas", .plain("1"))])
                    : object.status
            }
            let waiting = Node.map([("reason", .string(reason)), ("message", .string("of before"))])
            let container = Node.map([
                ("name", .string("web")), ("ready", .plain("false")), ("restartCount", .plain("0")),
                ("state", .map([("waiting", waiting)])),
            ])
            let pods = TestPods(store)
            try await pods.add(
                to: "web",
                status: .map([("phase", .string("Pending")), ("containerStatuses", .list([container]))]))
            let object = try #require(await store.object("deployments", "web", namespace: "so-test"))
            await store.put("deployments", object.node)
            let kubelet = Task {
                try await eventually("the old pod is gone") { await store.names("pods", namespace: "so-test").isEmpty }
                try await pods.add(to: "web", status: TestPods.ready)
            }
            try await handle.start()
            try await kubelet.value
        }
    }

    @Test func `a job of the stack that has ended well is not made again on its data, and goes on to be told`()
        async throws
    {
        try await withCluster { cluster in
            func handle(_ image: String = "localhost/x:1") throws -> DeploymentHandle {
                var handle = try cluster.handle(
                    "services:\n  web: {image: \"localhost/x:1\"}\n  seed: {image: \"\(image)\", restart: \"no\"}\n")
                for index in handle.model.rendered.workloads.indices
                where handle.model.rendered.workloads[index].name == "seed" {
                    handle.model.rendered.workloads[index].isStackJob = true
                    handle.model.rendered.workloads[index].component = "seed"
                }
                return handle
            }
            try await handle().start()
            #expect(await cluster.names("jobs") == ["seed"])
            #expect(try await handle("localhost/x:2").start().changed == false, "what is left of it stays")
            try await handle().stop()
            let again = try handle()
            try await again.start()
            #expect(await cluster.names("jobs") == [])
            #expect(await cluster.names("deployments") == ["web"])
            let told = try #require(try await again.ps().first { $0.service == "seed" })
            #expect(told.state == .completed && told.isReady && told.exitCode == 0)
            var named = StartOptions()
            named.services = ["seed"]
            try await again.start(named)
            #expect(await cluster.names("jobs") == ["seed"], "whoever names it asks for it")
            var deleting = StopOptions()
            deleting.deleteVolumes = true
            try await again.stop(deleting)
            try await again.start()
            #expect(await cluster.names("jobs") == ["seed"])
        }
    }

    /// A busy kubelet tells late that a container has ended: by then it was ready for a moment.
    @Test func `a service that ended while others started is not ready`() async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            await store.setController { object in
                let isSlow = object.name == "slow" && object.kind == "Deployment"
                return object.kind == "Pod" ? object.status : isSlow ? nil : TestAPIStore.ready(object)
            }
            let handle = try cluster.handle(
                "services:\n  quick: {image: \"localhost/x:1\"}\n  slow: {image: \"localhost/x:1\"}\n")
            let (events, sink) = AsyncStream.makeStream(of: Event.self)
            async let failed = failure { _ = try await handle.start { sink.yield($0) } }
            for await event in events {
                if case .ready = event.phase, event.service == "quick" { sink.finish() }
            }
            try await TestPods(store).add(to: "quick", status: TestPods.ended(code: 3, times: 4))
            // Told by the same watch, after it.
            try await TestPods(store).add(to: "slow", status: TestPods.ready)
            let error = await failed
            #expect(error?.failures.map(\.service) == ["quick"])
            #expect(error?.failures.first?.kind == .crashed, "\(String(describing: error))")
        }
    }

    @Test func `a start of one service makes nothing of the others, and takes nothing from them`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(
                two.replacing("depends_on: [db]", with: "expose: [\"80\"]"), spec: secret)
            var web = StartOptions()
            web.services = ["web"]
            try await handle.start(web)
            #expect(await cluster.names("deployments") == ["web"])
            #expect(await cluster.names("services") == ["web"])
            try await handle.start()
            #expect(await cluster.names("services") == ["db", "web"])
            try await handle.start(web)
            #expect(await cluster.names("services") == ["db", "web"])
        }
    }

    @Test func `a claim is made when the cluster knows the volume that is reserved for it`() async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            // The controller has not looked at it yet.
            await store.setController { $0.kind == "PersistentVolume" ? nil : TestAPIStore.ready($0) }
            let handle = try cluster.handle(two, spec: secret)
            async let started = handle.start()
            try await eventually("the volume is there") {
                await store.object("persistentvolumes", "so-test-data") != nil
            }
            try await eventually("all that needs no volume is there") { await cluster.names("services").count == 2 }
            #expect(await cluster.names("persistentvolumeclaims") == [])
            let volume = try #require(await store.object("persistentvolumes", "so-test-data"))
            await store.put(
                "persistentvolumes", volume.node.setting(["status"], .map([("phase", .string("Available"))])))
            #expect(try await started.changed)
            #expect(await cluster.names("persistentvolumeclaims") == ["data"])
        }
    }

    @Test func `what the stack drops is pruned, its data is not`() async throws {
        try await withCluster { cluster in
            try await cluster.handle(two, spec: secret).start()
            let one = "services:\n  web:\n    image: localhost/x:1\n"
            let plan = try await cluster.handle(one).plan()
            #expect(plan.items.filter { $0.action == .remove }.map(\.name).sorted() == ["db", "db", "db-env"])
            try await cluster.handle(one).start()
            #expect(await cluster.names("deployments") == ["web"])
            #expect(await cluster.names("secrets") == ["generated-secrets"])
            #expect(await cluster.names("persistentvolumeclaims") == ["data"])
            let inventory = await cluster.server.store.object("configmaps", "so-inventory-test-1", namespace: "so-test")
            #expect(inventory?.node["data"]?["objects"]?.text?.contains("PersistentVolumeClaim data") ?? false)
        }
    }

    @Test func `a change is told field by field and applied to that object alone`() async throws {
        try await withCluster { cluster in
            try await cluster.handle(two, spec: secret).start()
            let changed = try cluster.handle(
                two.replacing("image: localhost/x:1\n    depends_on", with: "image: localhost/x:2\n    depends_on"),
                spec: secret)
            let items = try await changed.plan().items.filter { $0.action != .keep }
            #expect(items.map(\.name) == ["web"])
            #expect(
                items.first?.changes == [
                    "spec.template.spec.containers[web].image: \"localhost/x:1\" → \"localhost/x:2\""
                ])
            await cluster.server.store.forgetWrites()
            try await changed.start()
            let writes = await cluster.server.store.writes.filter { !$0.contains("inventory") }
            #expect(writes == ["PATCH deployments/web"])
        }
    }

    @Test
    func `a namespace of another deployment is refused with the line to add, one that nobody owns is used and kept`()
        async throws
    {
        try await withCluster { cluster in
            try await cluster.handle(two, spec: secret).start()
            var other = cluster
            other.id = "test-2"
            let stranger = ClusterFixture(server: cluster.server, directory: "/elsewhere", id: "test-2")
            let error = await #expect(throws: DeploymentError.self) {
                try await stranger.handle(two, spec: secret).start()
            }
            #expect(error?.code == .notPermitted)
            #expect(error?.hint?.contains("namespace:") ?? false)

            let free = Node.map([
                ("kind", .string("Namespace")), ("apiVersion", .string("v1")),
                ("metadata", .map([("name", .string("free"))])),
            ])
            await cluster.server.store.put("namespaces", free)
            other.namespace = "free"
            try await other.handle("services:\n  a:\n    image: localhost/x:1\n").start()
            var options = StopOptions()
            options.deleteNamespace = true
            try await other.handle("services:\n  a:\n    image: localhost/x:1\n").stop(options)
            #expect(await cluster.server.store.object("namespaces", "free") != nil)
        }
    }

    @Test func `a deployment made again in its directory goes on with its secrets and its data`() async throws {
        try await withCluster { cluster in
            try await cluster.handle(two, spec: secret).start()
            let before = await cluster.server.store.object("secrets", "generated-secrets", namespace: "so-test")?.node[
                "data"]
            var again = cluster
            again.id = "test-9"
            try await again.handle(two, spec: secret).start()
            let after = await cluster.server.store.object("secrets", "generated-secrets", namespace: "so-test")?.node[
                "data"]
            let web = await cluster.server.store.object("deployments", "web", namespace: "so-test")
            #expect(web?.labels["app.kubernetes.io/instance"] == "test-9")
            let owner = await cluster.server.store.object("namespaces", "so-test")?.annotations
            #expect(owner?["stack-orchestrator.dev/deployment-id"] == "test-9")
            #expect(before != nil && before?.means(after ?? .map([])) ?? false)
        }
    }

    @Test func `another manager's field stops the start before anything changes, and can be taken over`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(two, spec: secret)
            try await handle.start()
            if let live = await cluster.server.store.object("deployments", "web", namespace: "so-test") {
                await cluster.server.store.put(
                    "deployments", live.node.put(["spec", "replicas"], .plain("5")), by: "kubectl-scale")
            }
            await cluster.server.store.forgetWrites()
            let error = await #expect(throws: DeploymentError.self) { try await handle.start() }
            #expect(error?.code == .notPermitted)
            let said = error?.description ?? ""
            #expect(said.contains("kubectl-scale"), "\(said)")
            #expect(await cluster.server.store.writes == [])
            var options = StartOptions()
            options.forceConflicts = true
            try await handle.start(options)
            #expect(
                await cluster.server.store.object("deployments", "web", namespace: "so-test")?.spec?["replicas"]?
                    .intValue == 1)
        }
    }

    @Test func `an object that somebody else made is not taken over`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle("services:\n  a:\n    image: localhost/x:1\n")
            try await handle.start()
            try await handle.stop()
            let own = Node.map([
                ("kind", .string("Service")), ("apiVersion", .string("v1")),
                ("metadata", .map([("name", .string("a")), ("namespace", .string("so-test"))])), ("spec", .map([])),
            ])
            await cluster.server.store.put("services", own)
            let error = await #expect(throws: DeploymentError.self) { try await handle.start() }
            #expect(error?.message.contains("Service/a") ?? false)
            #expect(await cluster.names("deployments") == [])
        }
    }

    @Test func `twenty starts at once agree on one value of a secret`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(two, spec: secret)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try? await handle.start() } }
            }
            try await handle.start()
            let generated = await cluster.server.store.object("secrets", "generated-secrets", namespace: "so-test")
            let used = await cluster.server.store.object("secrets", "db-env", namespace: "so-test")
            #expect(generated?.node["data"]?["PASSWORD"]?.text == used?.node["data"]?["PASSWORD"]?.text)
            #expect(generated?.node["data"]?["PASSWORD"] != nil)
        }
    }

    @Test func `rotation changes one value and rolls what uses it`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(two, spec: secret)
            try await handle.start()
            let before = await cluster.server.store.object("secrets", "generated-secrets", namespace: "so-test")?.node[
                "data"]
            try await handle.rotateSecret("PASSWORD")
            let after = await cluster.server.store.object("secrets", "generated-secrets", namespace: "so-test")?.node[
                "data"]
            #expect(before != nil && after != nil && !(before?.means(after ?? .map([])) ?? true))
            let plan = try await handle.plan()
            #expect(plan.items.filter { $0.action == .update }.map(\.name).sorted() == ["db", "db-env"])
            let printed = plan.description
            #expect(!printed.contains(after?["PASSWORD"]?.text ?? "none"), "\(printed)")
        }
    }

    @Test func `a stop leaves volumes and secrets, and deletes them when it is told to`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(two, spec: secret)
            try await handle.start()
            try await handle.stop()
            #expect(await cluster.names("deployments") == [])
            #expect(await cluster.names("services") == [])
            #expect(await cluster.names("persistentvolumeclaims") == ["data"])
            #expect(await cluster.names("secrets") == ["generated-secrets"])
            var options = StopOptions()
            options.deleteVolumes = true
            options.deleteNamespace = true
            try await handle.stop(options)
            #expect(await cluster.names("persistentvolumeclaims") == [])
            #expect(await cluster.names("secrets") == [])
            #expect(await cluster.server.store.object("namespaces", "so-test") == nil)
            #expect(await cluster.server.store.object("persistentvolumes", "so-test-data") == nil)
        }
    }

    @Test func `pods that are refused fail the start with the controller's words`() async throws {
        try await withCluster { cluster in
            await cluster.server.store.setController { object in
                guard object.kind == "Deployment" else { return TestAPIStore.ready(object) }
                let failure = Node.map([
                    ("type", .string("ReplicaFailure")), ("status", .string("True")),
                    ("reason", .string("FailedCreate")),
                    ("message", .string("exceeded quota: q")),
                ])
                return .map([("observedGeneration", .plain("\(object.generation)")), ("conditions", .list([failure]))])
            }
            let error = await #expect(throws: DeploymentError.self) {
                try await cluster.handle("services:\n  a:\n    image: localhost/x:1\n").start()
            }
            #expect(error?.code == .failed)
            #expect(error?.failures.first?.service == "a")
            #expect(error?.failures.first?.reason.contains("exceeded quota: q") ?? false)
        }
    }
}
