import KubernetesClient
import Rendering
import YAML

/// All that the cluster says of one workload at one moment.
struct WorkloadView: Sendable {
    var workload: Workload
    var object: LiveObject?
    var replicaSets: [LiveObject] = []
    var pods: [LiveObject] = []
    var events: [LiveObject] = []

    /// The pods of the present template; those of an older one only give way.
    var currentPods: [LiveObject] {
        guard let object else { return [] }
        switch workload.kind {
        case .deployment:
            let revision = object.annotations["deployment.kubernetes.io/revision"]
            let current = replicaSets.filter {
                $0.controller?.uid == object.uid && $0.annotations["deployment.kubernetes.io/revision"] == revision
            }
            return pods.filter { pod in
                pod.controller.map { owner in current.contains { $0.uid == owner.uid } } ?? false
            }
        case .daemonSet, .job: return pods.filter { $0.controller?.uid == object.uid }
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

    /// What a workload's pods are made from.
    var template: Node? { spec?["template"] }

    var restarts: Int { containerStatuses.reduce(0) { $0 + ($1["restartCount"]?.intValue ?? 0) } }
}
