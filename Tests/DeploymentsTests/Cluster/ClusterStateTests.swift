import KubernetesClient
import Rendering
import Testing
import YAML

@testable import Deployments

/// What is known of a workload when the answer to a change comes after the watch has told of what became of it.
@Suite struct ClusterStateTests {
    private let state = ClusterState([
        Workload(name: "web", kind: .deployment, component: "c", services: ["web"])
    ])

    private func deployment(uid: String = "1", generation: Int, status: String) -> LiveObject {
        LiveObject(
            .map([
                ("kind", .string("Deployment")),
                (
                    "metadata",
                    .map([
                        ("name", .string("web")), ("uid", .string(uid)), ("generation", .plain("\(generation)")),
                    ])
                ),
                ("status", .map([("told", .string(status))])),
            ]))
    }

    private func told() async -> String? { await state.view(of: "web")?.object?.status?["told"]?.text }

    @Test func `an answer does not take back what the watch told since`() async {
        await state.take(.deployments, .changed(deployment(generation: 1, status: "pending")))
        await state.take(.deployments, .changed(deployment(generation: 1, status: "ready")))
        await state.takeAnswer(.deployments, deployment(generation: 1, status: "pending"))
        #expect(await told() == "ready")
    }

    @Test func `an answer goes before what the watch tells of the time before it`() async {
        await state.take(.deployments, .changed(deployment(generation: 1, status: "ready")))
        await state.takeAnswer(.deployments, deployment(generation: 2, status: "pending"))
        await state.take(.deployments, .changed(deployment(generation: 1, status: "ready")))
        #expect(await told() == "pending")
    }

    @Test func `an answer does not bring back what has been deleted meanwhile`() async {
        await state.take(.deployments, .all([]))
        await state.take(.deployments, .changed(deployment(generation: 1, status: "pending")))
        await state.take(.deployments, .deleted(deployment(generation: 1, status: "pending")))
        await state.takeAnswer(.deployments, deployment(generation: 1, status: "pending"))
        #expect(await state.view(of: "web")?.isLost == true)
        await state.takeAnswer(.deployments, deployment(uid: "2", generation: 1, status: "new"))
        #expect(await told() == "new")
    }
}
