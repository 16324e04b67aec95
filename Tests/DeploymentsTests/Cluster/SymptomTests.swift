import KubernetesClient
import Rendering
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// What a real cluster says of workloads that cannot become ready is read as what it is.
struct SymptomTests {
    /// A workload as the recording shows it: its Deployment, one ReplicaSet, its pods and the events about them.
    private func view(_ name: String, of recordings: Recordings) throws -> WorkloadView {
        var view = WorkloadView(workload: Workload(name: name, kind: .deployment, component: "c", services: [name]))
        let revision = Node.map([("deployment.kubernetes.io/revision", .string("1"))])
        view.object = LiveObject(
            .map([
                (
                    "metadata",
                    .map([
                        ("name", .string(name)), ("uid", .string("d")), ("generation", .plain("1")),
                        ("annotations", revision),
                    ])
                ),
                ("spec", .map([("replicas", .plain("1"))])),
                ("status", try recordings["Deployment status of \"\(name)\""]),
            ]))
        view.replicaSets = [LiveObject(.map([("metadata", owned("r", by: "d", annotations: revision))]))]
        for status in try recordings["Pod of \"\(name)\" after 45 s"].sequence ?? [] {
            let containers = status["containerStatuses"]?.sequence ?? []
            let spec = containers.map { Node.map([("name", $0["name"] ?? .string("c"))]) }
            view.pods.append(
                LiveObject(
                    .map([
                        ("metadata", owned("p", by: "r")), ("spec", .map([("containers", .list(spec))])),
                        ("status", status),
                    ])))
        }
        for event in try recordings["Events about the pod of \"\(name)\""].sequence ?? [] {
            view.events.append(LiveObject(event.setting(["involvedObject", "uid"], .string("p"))))
        }
        return view
    }

    private func owned(_ uid: String, by owner: String, annotations: Node = .map([])) -> Node {
        .map([
            ("name", .string(uid)), ("uid", .string(uid)), ("annotations", annotations),
            (
                "ownerReferences",
                .list([
                    .map([
                        ("kind", .string("X")), ("name", .string(owner)), ("uid", .string(owner)),
                        ("controller", .plain("true")),
                    ])
                ])
            ),
        ])
    }

    @Test(arguments: [
        ("neverpull", ServiceFailure.Kind.imageMissing, "localhost/absent:1"),
        ("pull", .imageMissing, "connection refused"),
        ("crash", .crashed, "exit code 3"),
        ("nosecret", .missingReference, "secret \"absent\" not found"),
        ("nocm", .notCreated, "absent"),
    ])
    func `a failure is recognised with its cause`(name: String, kind: ServiceFailure.Kind, cause: String) throws {
        let assessment = try view(name, of: Recordings("failures")).assess()
        let symptom = try #require(assessment.symptoms.first, "\(assessment)")
        #expect(symptom.kind == kind)
        #expect(symptom.reason.contains(cause), "\(symptom.reason)")
        #expect(assessment.stage < .ready)
    }

    @Test func `ends are counted against the budget`() throws {
        let symptom = try #require(try view("crash", of: Recordings("failures")).assess().symptoms.first)
        #expect(symptom.exits?.count == 4)
        #expect(symptom.patience == 0)
        #expect(
            try view("crash", of: Recordings("failures")).assess(Patience(crashBudget: 5)).symptoms.first?.patience
                == nil)
    }

    private func claim(class name: String?, volume: String? = nil) -> LiveObject {
        var spec: [(String, Node)] = []
        if let name { spec.append(("storageClassName", .string(name))) }
        if let volume { spec.append(("volumeName", .string(volume))) }
        return LiveObject(.map([("metadata", .map([("name", .string("data"))])), ("spec", .map(spec))]))
    }

    private func event(_ reason: String, _ message: String) -> LiveObject {
        LiveObject(.map([("reason", .string(reason)), ("message", .string(message))]))
    }

    @Test func `a claim without a volume is the cause of a pod that no node takes`() {
        let none = Diagnosis.cause(of: claim(class: nil), events: [event("FailedBinding", "no storage class is set")])
        #expect(none?.reason.contains("no default StorageClass: no storage class is set") ?? false)
        let failing = Diagnosis.cause(of: claim(class: "fast"), events: [event("ProvisioningFailed", "quota")])
        #expect(failing?.reason.contains("StorageClass fast: quota") ?? false)
        #expect(Diagnosis.cause(of: claim(class: "fast"), events: [event("WaitForFirstConsumer", "x")]) == nil)
        #expect(Diagnosis.cause(of: claim(class: "fast"), events: []) == nil)
        #expect(Diagnosis.cause(of: claim(class: "", volume: "pv"), events: [])?.reason.contains("default") == false)
    }

    @Test func `a quota tells through the Deployment's condition`() throws {
        let status = try Recordings("admission")["its status after the progress deadline of 5 s"]
        var view = WorkloadView(
            workload: Workload(name: "quota", kind: .deployment, component: "c", services: ["quota"]))
        view.object = LiveObject(
            .map([
                ("metadata", .map([("uid", .string("d")), ("generation", .plain("1"))])),
                ("spec", .map([("replicas", .plain("1"))])), ("status", status),
            ]))
        let reasons = view.assess().symptoms.map(\.reason)
        #expect(reasons.contains { $0.contains("exceeded quota") }, "\(reasons)")
    }
}
