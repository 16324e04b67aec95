import FoundationEssentials
import KubernetesClient
import Rendering
import YAML

/// All that the cluster says of one workload at one moment.
struct WorkloadView: Sendable {
    var workload: Workload
    /// When nodes were started last, by name; of the others nothing is known.
    var bootTimes: [String: Date] = [:]
    var object: LiveObject?
    var replicaSets: [LiveObject] = []
    var pods: [LiveObject] = []
    var events: [LiveObject] = []
    /// Whether the cluster was asked for the workload's object since: without one there is none.
    var isListed = false

    /// The uids of pods that had failed before the operation began.
    var formerFailures: Set<String> = []

    /// Whether the workload is gone, or going.
    var isLost: Bool { object?.isTerminating ?? isListed }

    /// The pods of the present template; those of an older one only give way.
    var currentPods: [LiveObject] {
        guard let object else { return [] }
        switch workload.kind {
        case .deployment:
            let own = replicaSets.filter { $0.controller?.uid == object.uid }
            let revision = object.annotations["deployment.kubernetes.io/revision"]
            var current = own.filter { $0.isMade(from: object) }
            if current.isEmpty {
                current = own.filter { $0.annotations["deployment.kubernetes.io/revision"] == revision }
            }
            return pods.filter { pod in
                pod.controller.map { owner in current.contains { $0.uid == owner.uid } } ?? false
            }
        case .daemonSet, .job: return pods.filter { $0.controller?.uid == object.uid }
        // Its Jobs' are told by status only: a start does not wait for what the clock starts.
        case .cronJob: return []
        }
    }

    /// Whether all pods that a Deployment wants are there and ready, made of its present template, and no others run.
    ///
    /// Its status says the same later: the controller that writes it waits for its turn, twenty times a second for all Deployments together.
    func hasReadyPods(_ wanted: Int) -> Bool {
        guard let object, object.spec?["minReadySeconds"]?.intValue ?? 0 == 0 else { return false }
        guard !hasFormerPods else { return false }
        let live = pods.filter { !$0.isTerminating }
        guard wanted > 0 else { return object.generation == 1 && live.isEmpty }
        guard replicaSets.contains(where: { $0.controller?.uid == object.uid && $0.isMade(from: object) }) else {
            return false
        }
        let current = Set(currentPods.map(\.uid))
        return live.filter { current.contains($0.uid) && $0.isTrue("Ready") }.count >= wanted
            && live.allSatisfy { current.contains($0.uid) }
    }

    /// Whether what is said of a pod is from before its node was started: its kubelet has not looked at it since.
    var hasFormerPods: Bool {
        pods.contains { pod in
            guard !pod.isTerminating, let boot = pod.nodeName.flatMap({ bootTimes[$0] }) else { return false }
            return pod.isFrom(before: boot)
        }
    }

    /// Warnings about an object, the newest last.
    func warnings(about uid: String) -> [LiveObject] {
        events.filter { $0.node.at("involvedObject", "uid")?.text == uid && $0.node["type"]?.text == "Warning" }
            .sorted { $0.eventTime < $1.eventTime }
    }
}

extension LiveObject {
    /// When an event happened last, as text that sorts.
    var eventTime: String {
        node["lastTimestamp"]?.text ?? node["eventTime"]?.text ?? creationTimestamp ?? ""
    }

    var eventReason: String { node["reason"]?.text ?? "" }
    var eventMessage: String { node["message"]?.text ?? "" }
    var podPhase: String { status?["phase"]?.text ?? "" }

    var initStatuses: [Node] { status?["initContainerStatuses"]?.sequence ?? [] }
    var containerStatuses: [Node] { status?["containerStatuses"]?.sequence ?? [] }
    var specContainers: [Node] { spec?["containers"]?.sequence ?? [] }

    /// Whether the pod's condition of a type is true.
    func isTrue(_ condition: String) -> Bool { self.condition(condition)?["status"]?.text == "True" }

    /// Whether one of the pod's containers is said to run since before a moment. The API's times are whole seconds.
    func isFrom(before moment: Date) -> Bool {
        containerStatuses.contains { status in
            guard let text = status.at("state", "running", "startedAt")?.text,
                let start = try? Date(text, strategy: .iso8601)
            else { return false }
            return start < moment.addingTimeInterval(-1)
        }
    }

    /// Whether a ReplicaSet's pods are made of the template that a Deployment has now.
    func isMade(from deployment: LiveObject) -> Bool {
        guard let own = template, let wanted = deployment.template else { return false }
        return own.removing(["metadata", "labels", "pod-template-hash"]).means(wanted)
    }

    /// What a workload's pods are made from.
    var template: Node? { node.at("spec", "template") ?? node.at("spec", "jobTemplate", "spec", "template") }

    var restarts: Int { containerStatuses.reduce(0) { $0 + ($1["restartCount"]?.intValue ?? 0) } }
}

extension Node {
    /// The tree without what stands at a path.
    fileprivate func removing(_ path: [String]) -> Node {
        guard let first = path.first, var mapping, let value = mapping[first] else { return self }
        mapping[first] = path.count == 1 ? nil : value.removing(Array(path.dropFirst()))
        return Node(.mapping(mapping), mark: mark)
    }
}
