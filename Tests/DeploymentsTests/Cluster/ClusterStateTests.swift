import FoundationEssentials
import KubernetesClient
import Rendering
import Testing
import YAML

@testable import Runtimes

/// What is known of a workload when the answer to a change comes after the watch has told of what became of it.
@Suite struct ClusterStateTests {
    private let state = ClusterState([
        Workload(name: "web", kind: .deployment, component: "c", services: ["web"])
    ])

    private func deployment(uid: String = "1", generation: Int, status: String, version: Int = 0) -> LiveObject {
        LiveObject(
            .map([
                ("kind", .string("Deployment")),
                (
                    "metadata",
                    .map([
                        ("name", .string("web")), ("uid", .string(uid)), ("generation", .plain("\(generation)")),
                        ("resourceVersion", .string(version == 0 ? "" : "\(version)")),
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
        await state.take(.deployments, .all(ObjectList(items: [], resourceVersion: "")))
        await state.take(.deployments, .changed(deployment(generation: 1, status: "pending")))
        await state.take(.deployments, .deleted(deployment(generation: 1, status: "pending")))
        await state.takeAnswer(.deployments, deployment(generation: 1, status: "pending"))
        #expect(await state.view(of: "web")?.isLost == true)
        await state.takeAnswer(.deployments, deployment(uid: "2", generation: 1, status: "new"))
        #expect(await told() == "new")
    }

    @Test func `an answer does not bring back what a list from after it is without`() async {
        await state.take(.deployments, .all(ObjectList(items: [], resourceVersion: "12")))
        var changes = await state.changes(of: "web").makeAsyncIterator()
        await changes.next()
        await state.takeAnswer(.deployments, deployment(generation: 1, status: "made before", version: 10))
        // Nothing else would ever tell the one who waits.
        await changes.next()
        #expect(await state.view(of: "web")?.isLost == true)
        await state.takeAnswer(.deployments, deployment(uid: "2", generation: 1, status: "made since", version: 13))
        #expect(await told() == "made since")
    }

    @Test func `what lasts is looked at again when it has lasted long enough, without any other change`() async {
        let symptom = Symptom(id: "x", kind: .notCreated, reason: "it lasts", patience: 0.2)
        let assessment = Assessment(stage: .pending, symptoms: [symptom])
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await state.keepTime() }
            var looks = 0
            for await _ in await state.changes(of: "web") {
                looks += 1
                if await !state.overdue("web", assessment, patience: Patience()).isEmpty { break }
            }
            #expect(looks == 2)
            group.cancelAll()
        }
    }

    @Test func `what is said of pods from before their node was started is not believed`() throws {
        func pod(_ time: String) -> LiveObject {
            let status = Node.map([("state", .map([("running", .map([("startedAt", .string(time))]))]))])
            return LiveObject(
                .map([
                    ("spec", .map([("nodeName", .string("n"))])),
                    ("status", .map([("phase", .string("Running")), ("containerStatuses", .list([status]))])),
                ]))
        }
        let boot = try Date("2026-11-22T08:00:00Z", strategy: .iso8601)
        var view = WorkloadView(
            workload: Workload(name: "web", kind: .deployment, component: "c", services: ["web"]),
            bootTimes: ["n": boot])
        view.object = deployment(generation: 1, status: "")
        view.pods = [pod("2026-11-22T07:00:00Z")]
        #expect(view.hasFormerPods && view.assess().awaits.contains("started again"))
        view.pods = [pod("2026-11-22T08:00:09Z")]
        #expect(!view.hasFormerPods)
    }
}
