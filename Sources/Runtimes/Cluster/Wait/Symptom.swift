import KubernetesClient
import YAML

/// Something about a workload that keeps it from becoming ready if it lasts.
struct Symptom: Hashable, Sendable {
    /// Tells this symptom from others of the workload while it lasts.
    var id: String
    var kind: ServiceFailure.Kind
    /// What never happened, in one line.
    var reason: String
    var hint: String?
    var pod: String?
    var container: String?
    /// Whether the lines of the container's last run are those to show.
    var wantsPreviousLog = false
    /// How long it may last, in seconds, before it is a failure; nil: it is none yet, however long it lasts.
    var patience: Double?
    /// Whether progress anywhere else starts the patience again: what crashes because another service is missing may recover.
    var waitsForOthers = false
    /// The claims of a pod that no node takes: one that is not bound is the cause.
    var claims: [String] = []
    /// How often the container has ended, for a progress line.
    var exits: (count: Int, code: Int)?

    static func == (left: Symptom, right: Symptom) -> Bool { left.id == right.id && left.reason == right.reason }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(reason)
    }
}

/// What one look at a workload comes to.
struct Assessment: Sendable {
    var stage: StartupProgress.Stage
    var symptoms: [Symptom] = []
    /// Containers that run without a probe: they count as ready once they have stayed up for a moment.
    var settling: Set<String> = []
    /// What is still awaited, for a progress line and for the case that nothing moves any more.
    var awaits = ""
}

/// What a pod's symptoms are judged by.
struct Patience: Sendable {
    /// Ends after which a container keeps crashing. The kubelet waits longer before each new try: the third comes after 10 s, the fourth only after 30.
    var crashBudget = 3
    /// Seconds of quiet before a crash loop is believed.
    var crashSeconds = 10.0
    /// A pull that failed once is tried again by the kubelet; it says BackOff when it has given up for now.
    var pull = 4.0
    var configuration = 2.0
    var creation = 10.0
    /// Another pod may be taken where one was rejected.
    var rejection = 3.0
    /// The scheduler may be waiting for a volume or for pods that are just ending.
    var unschedulable = 5.0
    var unschedulableWhileMoving = 15.0
    /// The kubelet tries again, and what a controller has yet to make (a service account's token) comes by itself.
    var mount = 30.0
}
