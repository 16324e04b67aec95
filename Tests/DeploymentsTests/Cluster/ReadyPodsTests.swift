import KubernetesClient
import Rendering
import Testing
import YAML

@testable import Runtimes

/// Pods that are ready are believed before the Deployment's status says so, and only those of the present template.
@Suite struct ReadyPodsTests {
    private func template(_ image: String, hash: String? = nil) -> Node {
        var labels: [(String, Node)] = [("app", .string("web"))]
        if let hash { labels.append(("pod-template-hash", .string(hash))) }
        return .map([
            ("metadata", .map([("labels", .map(labels))])),
            ("spec", .map([("containers", .list([.map([("name", .string("web")), ("image", .string(image))])]))])),
        ])
    }

    private func owned(_ uid: String, by owner: String, more: [(String, Node)] = []) -> Node {
        let reference = Node.map([("kind", .string("X")), ("uid", .string(owner)), ("controller", .plain("true"))])
        return .map(
            [("name", .string(uid)), ("uid", .string(uid)), ("ownerReferences", .list([reference]))] + more)
    }

    private func replicaSet(_ uid: String, _ image: String) -> LiveObject {
        LiveObject(
            .map([
                ("metadata", owned(uid, by: "d")), ("spec", .map([("template", template(image, hash: uid))])),
            ]))
    }

    private func pod(
        _ uid: String, of owner: String, ready: Bool = true, isGoing: Bool = false, container state: String? = nil
    ) -> LiveObject {
        let container = state.map { Node.map([("name", .string("web")), ("state", .map([($0, .map([]))]))]) }
        let status = Node.map([
            ("phase", .string("Running")), ("containerStatuses", .list(container.map { [$0] } ?? [])),
            (
                "conditions",
                .list([.map([("type", .string("Ready")), ("status", .string(ready ? "True" : "False"))])])
            ),
        ])
        let going = isGoing ? [("deletionTimestamp", Node.string("2026-11-22T00:00:00Z"))] : []
        return LiveObject(.map([("metadata", owned(uid, by: owner, more: going)), ("status", status)]))
    }

    /// - Parameter isTold: whether the Deployment's own status says that all replicas are there.
    private func stage(
        _ replicas: Int, generation: Int = 2, minReady: Int = 0, isTold: Bool = false, _ pods: [LiveObject]
    ) -> StartupProgress.Stage {
        let counts = ["replicas", "updatedReplicas", "availableReplicas"].map { ($0, Node.plain("\(replicas)")) }
        let observed = ("observedGeneration", Node.plain("\(isTold ? generation : generation - 1)"))
        var view = WorkloadView(workload: Workload(name: "web", kind: .deployment, component: "c", services: ["web"]))
        view.object = LiveObject(
            .map([
                (
                    "metadata",
                    .map([
                        ("name", .string("web")), ("uid", .string("d")), ("generation", .plain("\(generation)")),
                    ])
                ),
                (
                    "spec",
                    .map([
                        ("replicas", .plain("\(replicas)")), ("minReadySeconds", .plain("\(minReady)")),
                        ("template", template("web:2")),
                    ])
                ),
                ("status", .map([observed] + (isTold ? counts : []))),
            ]))
        view.replicaSets = [replicaSet("old", "web:1"), replicaSet("new", "web:2")]
        view.pods = pods
        return view.assess().stage
    }

    @Test func `all wanted pods of the present template are enough`() {
        #expect(stage(2, [pod("a", of: "new"), pod("b", of: "new")]) == .ready)
        #expect(stage(2, [pod("a", of: "new"), pod("b", of: "new"), pod("c", of: "old", isGoing: true)]) == .ready)
        #expect(stage(0, generation: 1, []) == .ready)
    }

    @Test func `pods of the former template, that are not ready, or too few of them are not`() {
        #expect(stage(1, [pod("a", of: "old")]) != .ready)
        #expect(stage(1, [pod("a", of: "new"), pod("b", of: "old")]) != .ready)
        #expect(stage(1, [pod("a", of: "new", ready: false)]) != .ready)
        #expect(stage(2, [pod("a", of: "new")]) != .ready)
        #expect(stage(1, [pod("a", of: "new", isGoing: true)]) != .ready)
        #expect(stage(1, minReady: 5, [pod("a", of: "new")]) != .ready)
        #expect(stage(0, []) != .ready)
    }

    @Test func `what the controller says of its replicas waits for what is seen of their pods`() {
        #expect(stage(1, isTold: true, []) == .ready)
        #expect(stage(1, isTold: true, [pod("a", of: "new", ready: false)]) != .ready)
        #expect(stage(1, isTold: true, [pod("a", of: "new", ready: false, container: "waiting")]) != .ready)
        #expect(stage(1, isTold: true, [pod("a", of: "new", ready: false, container: "running")]) == .ready)
        #expect(stage(0, isTold: true, []) == .ready)
    }
}
