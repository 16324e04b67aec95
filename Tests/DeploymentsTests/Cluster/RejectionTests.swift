import Deployments
import KubernetesClient
import KubernetesTestSupport
import Rendering
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// Pods that a node's kubelet refuses: the recorded answers of a real one, https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/
@Suite struct RejectionTests {
    private let stack = "services:\n  web:\n    image: localhost/x:1\n    sysctls: {net.core.somaxconn: 512}\n"

    /// A controller that takes Deployments and makes no pods of them: the pods, and how they stand, are the test's own.
    private static func withoutPods(_ object: LiveObject) -> Node? {
        object.kind == "Deployment"
            ? .map([("observedGeneration", .plain("\(object.generation)"))])
            : object.kind == "Pod" ? object.status : TestAPIStore.ready(object)
    }

    private func reject(
        _ store: TestAPIStore, _ name: String, _ reason: String, _ message: String, count: Int
    ) async throws {
        try await TestPods(store).add(to: name, status: TestPods.rejected(reason, message), count: count)
    }

    @Test(arguments: [
        ("SysctlForbidden", "forbidden sysctl: \"net.core.somaxconn\" not allowlisted", 1),
        (
            "OutOfcpu", "Pod was rejected: Node didn't have enough resource: cpu, requested: 100, used: 1, capacity: 2",
            2
        ),
        ("UnexpectedAdmissionError", "Pod was rejected: Allocate failed", 2),
        ("NodeAffinity", "Pod was rejected: Predicate NodeAffinity failed", 1),
    ])
    func `a pod that the kubelet rejects ends the start with its words, and no more are made`(
        reason: String, message: String, count: Int
    ) async throws {
        try await withCluster { cluster in
            let store = cluster.server.store
            await store.setController(Self.withoutPods)
            let handle = try cluster.handle(stack)
            async let failed = failure { _ = try await handle.start() }
            try await eventually("the workload is applied") {
                await store.object("deployments", "web", namespace: "so-test") != nil
            }
            try await reject(store, "web", reason, message, count: count)
            let error = await failed
            let failure = try #require(error?.failures.first)
            #expect(failure.kind == .rejected)
            #expect(failure.reason.contains("(\(reason)): \(message)"), "\(failure)")
            if reason == "SysctlForbidden" {
                #expect(failure.hint?.contains("--allowed-unsafe-sysctls=net.core.somaxconn") ?? false)
            }
            let refused = await store.object("deployments", "web", namespace: "so-test")
            #expect(refused?.spec?["replicas"]?.intValue == 0)

            await store.setController { $0.kind == "Pod" ? $0.status : TestAPIStore.ready($0) }
            #expect(try await handle.start().changed)
            let again = await store.object("deployments", "web", namespace: "so-test")
            #expect(again?.spec?["replicas"]?.intValue == 1)
        }
    }

    @Test func `no more pods of a second service are made and rejected where the first one ends the start`()
        async throws
    {
        try await withCluster { cluster in
            let store = cluster.server.store
            await store.setController(Self.withoutPods)
            let handle = try cluster.handle(stack + "  db:\n    image: localhost/x:1\n")
            async let failed = failure { _ = try await handle.start() }
            for name in ["web", "db"] {
                try await eventually("\(name) is applied") {
                    await store.object("deployments", name, namespace: "so-test") != nil
                }
            }
            try await reject(store, "db", "OutOfcpu", "Pod was rejected: no cpu", count: 1)
            try await reject(store, "web", "SysctlForbidden", "forbidden sysctl", count: 1)
            #expect(await failed?.failures.map(\.service) == ["web"])
            for name in ["web", "db"] {
                let object = await store.object("deployments", name, namespace: "so-test")
                #expect(object?.spec?["replicas"]?.intValue == 0, "\(name)")
            }
        }
    }

    @Test func `pods that were rejected before the start say nothing of it`() async throws {
        let workload = Workload(name: "web", kind: .deployment, component: "c", services: ["web"])
        let state = ClusterState([workload])
        let template = Node.map([("spec", .map([]))])
        func object(_ kind: String, _ name: String, by owner: String, _ more: [(String, Node)]) -> LiveObject {
            let labels = Node.map([(Keys.name, .string("web"))])
            return LiveObject(
                .map(
                    [
                        ("kind", .string(kind)),
                        ("metadata", TestPods.owned(name, by: owner, labels).setting(["uid"], .string(name))),
                    ] + more))
        }
        func list(_ items: [LiveObject]) -> ObjectList { ObjectList(items: items, resourceVersion: "1") }
        await state.take(
            .deployments, .all(list([object("Deployment", "web", by: "", [("spec", .map([("template", template)]))])])))
        await state.take(
            .replicaSets,
            .all(list([object("ReplicaSet", "set", by: "web", [("spec", .map([("template", template)]))])])))
        let failed = ("status", TestPods.rejected("SysctlForbidden", "no"))
        await state.take(.pods, .all(list([object("Pod", "old", by: "set", [failed])])))
        #expect(await state.view(of: "web")?.rejections(Patience()) == [])
        await state.take(.pods, .changed(object("Pod", "new", by: "set", [failed])))
        #expect(await state.view(of: "web")?.rejections(Patience()).map(\.kind) == [.rejected])
        let running = ("status", Node.map([("phase", .string("Running"))]))
        await state.take(.pods, .changed(object("Pod", "better", by: "set", [running])))
        #expect(await state.view(of: "web")?.rejections(Patience()) == [])
    }
}
