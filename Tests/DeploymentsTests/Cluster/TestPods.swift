import KubernetesClient
import KubernetesTestSupport
import Testing
import YAML

@testable import Runtimes

/// Pods as the controllers and a kubelet would make them.
struct TestPods {
    private let store: TestAPIStore

    init(_ store: TestAPIStore) { self.store = store }

    /// Adds pods of a Deployment's ReplicaSet.
    func add(to name: String, status: Node, count: Int = 1) async throws {
        let deployment = try #require(await store.object("deployments", name, namespace: "so-test"))
        let template = try #require(deployment.template)
        let labels = template.at("metadata", "labels")
        await store.put(
            "replicasets",
            .map([
                ("kind", .string("ReplicaSet")), ("apiVersion", .string("apps/v1")),
                ("metadata", Self.owned("\(name)-1", by: deployment.uid, labels)),
                ("spec", .map([("template", template)])),
            ]))
        let set = try #require(await store.object("replicasets", "\(name)-1", namespace: "so-test"))
        for number in 0..<count {
            let spec = (template["spec"] ?? .map([])).setting(["nodeName"], .string("worker"))
            await store.put(
                "pods",
                .map([
                    ("kind", .string("Pod")), ("apiVersion", .string("v1")),
                    ("metadata", Self.owned("\(name)-1-\(number)", by: set.uid, labels)), ("spec", spec),
                    ("status", status),
                ]))
        }
    }

    /// A pod whose container has ended so many times.
    static func ended(code: Int, times: Int) -> Node {
        let end = Node.map([("exitCode", .plain("\(code)")), ("reason", .string("Error"))])
        let container = Node.map([
            ("name", .string("main")), ("ready", .plain("false")), ("restartCount", .plain("\(times - 1)")),
            ("state", .map([("terminated", end)])),
        ])
        return .map([("phase", .string("Running")), ("containerStatuses", .list([container]))])
    }

    /// The status of one that runs and is ready.
    static let ready = Node.map([
        ("phase", .string("Running")),
        ("conditions", .list([.map([("type", .string("Ready")), ("status", .string("True"))])])),
    ])

    /// The status of one that the kubelet has rejected.
    static func rejected(_ reason: String, _ message: String) -> Node {
        .map([("phase", .string("Failed")), ("reason", .string(reason)), ("message", .string(message))])
    }

    static func owned(_ name: String, by owner: String, _ labels: Node?) -> Node {
        let reference = Node.map([("kind", .string("X")), ("uid", .string(owner)), ("controller", .plain("true"))])
        return .map([
            ("name", .string(name)), ("namespace", .string("so-test")), ("labels", labels ?? .map([])),
            ("creationTimestamp", .string("2026-11-22T00:00:00Z")), ("ownerReferences", .list([reference])),
        ])
    }
}
